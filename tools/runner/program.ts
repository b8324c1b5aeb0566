import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Memory } from '../demo/game/memory.ts'

const patienceMs = 300_000

export interface ProgramOptions {
  /** The module that it runs. */
  readonly main: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Flags for Node. */
  readonly execArgv: readonly string[]
  /** Receives what it says. */
  readonly echo?: ((text: string) => void) | undefined
}

/** An example's program, in a process of its own. */
export class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<readonly [code: number | null, signal: string | null]>
  #said = ''
  #hasEnded = false
  #isToEnd = false

  constructor({ main, args, cwd, env, execArgv, echo }: ProgramOptions) {
    const hook = new URL('./program-hook.ts', import.meta.url).href
    this.#child = fork(main, args, {
      cwd,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      execArgv: [...execArgv, '--expose-gc', '--import', hook],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A terminal's Ctrl-C reaches this process alone, which asks the program to end: a second signal would break it off.
      detached: true,
    })
    this.#closed = once(this.#child, 'close').then(([code, signal]) => {
      this.#hasEnded = true
      return [code, signal]
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
        echo?.(text)
      })
    }
  }

  /** All that it wrote to stdout and stderr. */
  get said(): string {
    return this.#said
  }

  /** Resolves when it has ended by itself. */
  get closed(): Promise<unknown> {
    return this.#closed
  }

  /**
   * Throws if the program has ended although nobody asked it to, if the API server refused it something, or if it does not come to rest because of what it
   * writes. (Somebody may change back what it writes: an example plays that.)
   */
  check(): void {
    if (this.#hasEnded && !this.#isToEnd) throw new Error(`the program has ended:\n${this.#said}`)
    if (/forbidden/i.test(this.#said)) throw new Error(`the program lacks a right:\n${this.#said}`)
    if (/does not come to rest: (?!somebody else)/.test(this.#said))
      throw new Error(`the program does not come to rest:\n${this.#said}`)
  }

  /** Asks it to end, as Kubernetes does. Rejects where it does not end with code 0, or has lacked a right. */
  async stop(): Promise<void> {
    this.#isToEnd = true
    this.#child.kill('SIGTERM')
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs)
    const [code, signal] = await this.#closed
    clearTimeout(patience)
    if (code !== 0) throw new Error(`the program has ended with ${signal ?? code}:\n${this.#said}`)
    this.check()
  }

  /** Ends it in the midst of what it does, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#isToEnd = true
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  /** Its memory after a full collection. */
  async memory(): Promise<Memory> {
    return (await this.#ask('memory')) as Memory
  }

  /** Resolves when its operator has had nothing to do for half a second. Rejects if that takes more than two minutes. */
  async settled(): Promise<void> {
    const said = await this.#ask('settle')
    if (said !== 'settled') throw new Error(`the program does not settle: ${said}\n${this.#said}`)
  }

  #ask(word: string): Promise<unknown> {
    this.check()
    const answer = Promise.race([
      once(this.#child, 'message').then(([message]) => message as unknown),
      this.#closed.then(() => {
        throw new Error(`the program has ended:\n${this.#said}`)
      }),
    ])
    this.#child.send(word)
    return answer
  }
}
