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
  /** Asks the user, and resolves with a line. @default nobody can be asked */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  /** Called by a command that goes on by itself, such as `crd --watch`: the signal ends it, with the status 0. Its reason is the name of the signal of the process. @default it goes on for ever */
  readonly ending?: (() => AbortSignal) | undefined
  /** Called if a command with `--check` fails since files are not current, and not for another reason. @default nothing is called */
  readonly onStale?: (() => void) | undefined
}

/** 0: done; 1: a file is stale, what it says is refused, or a change is not safe; 2: wrong usage, or what is needed can't be read. Others: of a command that was run. */
export type ExitStatus = number

/** What a command takes from this process. It asks questions if a person is there to answer. */
export function processHost(): CommandHost {
  const { stdin, stdout, stderr } = process
  for (const stream of [stdout, stderr])
    if (stream.listenerCount('error', endSilently) === 0) stream.on('error', endSilently)
  const ending = (): AbortSignal => {
    const controller = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort(signal))
    return controller.signal
  }
  return {
    stdin,
    stdout,
    stderr,
    cwd: process.cwd(),
    ending,
    ask: stdin.isTTY && stdout.isTTY ? askInTerminal : undefined,
  }
}

/** The reader of a pipe may end first, as `head` does. Then there is nothing left to say. */
function endSilently(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}

async function askInTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
