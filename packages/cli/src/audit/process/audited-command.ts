import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { refused } from '../../failure.ts'
import type { CommandHost } from '../../host.ts'

/** A command that is audited, in a process group of its own. */
export class AuditedCommand implements AsyncDisposable {
  readonly pid: number
  /** Resolves with the exit status of the command when it has ended; after a signal, 128 plus the number of the signal. */
  readonly ended: Promise<number>
  readonly #closed: Promise<unknown>

  private constructor(child: ChildProcess, pid: number) {
    this.pid = pid
    this.#closed = once(child, 'close')
    this.ended = once(child, 'exit').then(
      ([code, signal]) => (code as number | null) ?? 128 + constants.signals[signal as NodeJS.Signals],
    )
  }

  /** Starts a command. Its whole output goes to stderr, because stdout is for the report. Rejects if the command can't be run. */
  static async start(command: readonly string[], env: NodeJS.ProcessEnv, host: CommandHost): Promise<AuditedCommand> {
    const [program = '', ...args] = command
    const child = spawn(program, args, { cwd: host.cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => host.stderr.write(text))
    try {
      await once(child, 'spawn')
    } catch (error) {
      throw refused(`${program} can't be run: ${(error as Error).message}`, error)
    }
    return new AuditedCommand(child, child.pid as number)
  }

  /**
   * Sends a signal to the process group, and kills the group if the command has not ended in time. Resolves when the command has ended.
   *
   * @param graceMs the time that the command has to end, in milliseconds
   * @param hurry ends this time
   */
  async stop(signal: NodeJS.Signals, graceMs: number, hurry: AbortSignal): Promise<number> {
    const kill = (): void => this.#send('SIGKILL')
    this.#send(hurry.aborted ? 'SIGKILL' : signal)
    hurry.addEventListener('abort', kill)
    const timer = setTimeout(kill, graceMs)
    const status = await this.ended
    clearTimeout(timer)
    hurry.removeEventListener('abort', kill)
    return status
  }

  /** Kills the remaining processes of the group, and resolves when their output has been written. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#send('SIGKILL')
    await this.#closed
  }

  #send(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal)
    } catch {
      // The group has ended already.
    }
  }
}
