import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../clock.ts'
import { childFlags } from './child-flags.ts'
import { IsolatedServerError } from './isolated-server-error.ts'
import type { AnswerMessage, Calls } from './messages.ts'
import { unpackError } from './packed-error.ts'

/** The time after the request to end in which a child that has not ended is killed, in milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000
/** The number of characters kept from the end of its stderr, to report the reason for its end. */
const KEPT_OUTPUT = 4_000

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A server's process, and the pending calls to it. */
export class ServerChannel {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  readonly #ended: Promise<void>
  #lastId = 0
  #gone: IsolatedServerError | undefined
  #output = ''

  /** Starts the process. If it can't be started, the first call rejects. */
  constructor() {
    this.#child = fork(entry(), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Not the flags of this process: its inspector port and loaders must not be the child's.
      execArgv: childFlags(),
      // In a process group of its own. In the terminal's group, a Ctrl-C during its start would end it before it could ignore the signal and depend on its
      // parent only.
      detached: true,
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT)
    })
    this.#child.on('message', (message: AnswerMessage) => this.#answered(message))
    this.#ended = this.#end()
  }

  /** The process id; `undefined` if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Calls the server's process. Rejects with the error of the call there, or with an {@link IsolatedServerError} if the process has ended. */
  call<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): Promise<Awaited<ReturnType<Calls[M]>>> {
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) {
        reject(this.#gone)
        return
      }
      const id = ++this.#lastId
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      try {
        this.#child.send({ id, method, args }, error => {
          // If the child has died, its exit has more information than the broken pipe.
          if (error !== null && this.#child.connected) this.#settle(id)?.reject(error)
        })
      } catch (error) {
        // An argument, such as a function, can't be cloned.
        this.#settle(id)?.reject(error as Error)
      }
    })
  }

  /** Ends the process. Resolves when the process has ended, for any reason. */
  async close(): Promise<void> {
    const kill = systemClock().timer(CLOSE_TIMEOUT_MS, () => this.#child.kill('SIGKILL'))
    try {
      await this.call('close')
    } catch {
      // The process has ended already, or its server did not close. In either case the process ends now.
    }
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
    kill.cancel()
  }

  /** Resolves when the process and its stderr have ended: only then is the reason known. */
  async #end(): Promise<void> {
    const { stderr } = this.#child
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(resolve => {
      // Not the 'close' event, which Node does not emit after a disconnect from this side.
      this.#child.once('exit', (...how) => resolve(how))
      this.#child.on('error', error => {
        this.#output += error.message
        // The process could not be started, and will not exit.
        if (this.#child.pid === undefined) resolve([null, null])
      })
    })
    if (stderr !== null && !stderr.closed && this.#child.pid !== undefined) await once(stderr, 'close')
    this.#fail(exitCode, signal)
  }

  #answered(message: AnswerMessage): void {
    const pending = this.#settle(message.id)
    if ('error' in message) pending?.reject(unpackError(message.error))
    else pending?.resolve(message.value)
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  #fail(exitCode: number | null, signal: NodeJS.Signals | null): void {
    const how = describeEnd(exitCode, signal)
    const output = exitCode === 0 || this.#output === '' ? '' : `: ${this.#output.trim()}`
    this.#gone = new IsolatedServerError(
      `the API server's process ${how}${output}`,
      exitCode ?? undefined,
      signal ?? undefined,
    )
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(this.#gone)
  }
}

function describeEnd(exitCode: number | null, signal: NodeJS.Signals | null): string {
  if (signal !== null) return `died by ${signal}`
  if (exitCode === null) return 'could not be started'
  return exitCode === 0 ? 'was closed' : `exited with code ${exitCode}`
}

/** The path of the process's program. It is next to this file in the source, and in a folder of its own in the built package, which bundles this file. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? './child.ts' : './isolated/child.js', here))
}
