/** Where text goes. */
export interface Output {
  write(text: string): unknown
}

/** What a command takes from its process. */
export interface CommandHost {
  /** What the argument `-` stands for. @default nothing */
  readonly stdin?: AsyncIterable<string | Uint8Array> | undefined
  /** Takes the results. */
  readonly stdout: Output
  /** Takes all else. */
  readonly stderr: Output
  /** The folder that relative paths start at. */
  readonly cwd: string
  /** Called by a command that goes on by itself, such as `crd --watch`: the signal ends it, with the status 0. @default it goes on for ever */
  readonly ending?: (() => AbortSignal) | undefined
}

/** 0: done; 1: a file is stale, what it says is refused, or a change is not safe; 2: wrong usage, or what is needed can't be read. Others: of a command that was run. */
export type ExitStatus = number
