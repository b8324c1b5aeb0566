/** A destination for text. */
export interface Output {
  write(text: string): unknown
}

/** The streams, the folder and the signals that a command gets from its process. */
export interface CommandHost {
  /** The text that a command reads for the argument `-`. @default none */
  readonly stdin?: AsyncIterable<string | Uint8Array> | undefined
  /** The output for results. */
  readonly stdout: Output
  /** The output for all other text, such as failures and questions. */
  readonly stderr: Output
  /** The folder that relative paths start at. */
  readonly cwd: string
  /** Asks the user, and resolves with a line. @default no user can be asked */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  /**
   * Called by a command that runs until it is stopped, such as `crd --watch`. The returned signal ends the command with the status 0; its reason is the name of
   * the signal of the process. Called again after that, it returns the signal for the second Ctrl+C; a host without a second one returns the first.
   * @default the command runs for ever
   */
  readonly ending?: (() => AbortSignal) | undefined
  /** Called if a command with `--check` fails for the only reason that files are not current. @default nothing is called */
  readonly onStale?: (() => void) | undefined
}

/**
 * 0: done; 1: a file is stale or has refused contents, or a change is not safe; 2: wrong usage, or a file or server can't be read. Other numbers are the status
 * of a command that was run.
 */
export type ExitStatus = number

/** The host of a command in this process. It asks questions if stdin and stdout are terminals. */
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

/** Exits without an error if the reader of a pipe has ended first, as `head` does. */
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
