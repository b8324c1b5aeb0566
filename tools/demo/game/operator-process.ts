import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Address, ModeName } from './mode.ts'
import type { Order, Reported } from './operator.ts'

/** RSS at a moment, in bytes, `at` in milliseconds since the process was started. */
export interface MemoryPoint {
  readonly at: number
  readonly rss: number
}

const BOUND_MS = 300_000

export interface OperatorProcessOptions {
  readonly address: Address
  readonly namespace: string
  /** Ends it, and all waits for it. */
  readonly signal: AbortSignal
  /** The operators' program, built. @default as it is here, its types left out by Node, which costs each of them memory */
  readonly program?: string | undefined
}

/** One of the demo's operators, in a process of its own. */
export class OperatorProcess {
  readonly begun: number = performance.timeOrigin + performance.now()
  readonly curve: MemoryPoint[] = []
  /** What went wrong in the background. */
  readonly failures: string[] = []
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  readonly #signal: AbortSignal
  readonly #waiting = new Set<(reported: Reported) => void>()
  #stderr = ''
  #hasEnded = false
  #isToEnd = false

  /** Starts it. */
  constructor(mode: ModeName, options: OperatorProcessOptions) {
    const { address, namespace, signal, program = new URL('./operator.ts', import.meta.url) } = options
    this.#signal = signal
    this.#child = fork(program, {
      execArgv: [...process.execArgv, '--expose-gc'],
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#closed = once(this.#child, 'close').then(() => {
      this.#hasEnded = true
      if (this.#isToEnd) return
      const why = this.#stderr.trim() || this.failures.at(-1) || 'without a word'
      this.#receive({ type: 'failed', message: `the process of ${mode} ended: ${why}` })
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4_000)
    })
    this.#child.on('message', (reported: Reported) => this.#receive(reported))
    this.#send({ type: 'start', mode, address, namespace })
  }

  /** Waits for the next word of it that `is` takes. Rejects with the signal's reason, and when the process ends first. */
  wait<T>(what: string, is: (reported: Reported) => T | undefined): Promise<T> {
    this.#signal.throwIfAborted()
    if (this.#hasEnded) return Promise.reject(new Error(this.failures.at(-1)))
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(bound)
        this.#waiting.delete(receive)
        this.#signal.removeEventListener('abort', aborted)
        how()
      }
      const aborted = (): void => settle(() => reject(this.#signal.reason as Error))
      const bound = setTimeout(() => {
        const why = this.failures.length > 0 ? `; it said: ${this.failures.at(-1)}` : ''
        settle(() => reject(new Error(`waited ${BOUND_MS / 1000} s in vain for ${what}${why}`)))
      }, BOUND_MS)
      const receive = (reported: Reported): void => {
        const answer = is(reported)
        if (answer !== undefined) settle(() => resolve(answer))
        else if (this.#hasEnded) settle(() => reject(new Error(this.failures.at(-1))))
      }
      this.#waiting.add(receive)
      this.#signal.addEventListener('abort', aborted, { once: true })
    })
  }

  /** Its memory after a full collection, and its requests so far. */
  measure(): Promise<Reported & { readonly type: 'measured' }> {
    const measured = this.wait('its memory', reported => (reported.type === 'measured' ? reported : undefined))
    this.#send({ type: 'measure' })
    return measured
  }

  /** Lets it end, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#isToEnd = true
    this.#send({ type: 'stop' })
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await this.#closed
    clearTimeout(patience)
  }

  /** Ends it at once. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#isToEnd = true
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  #send(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => undefined)
  }

  #receive(reported: Reported): void {
    if (reported.type === 'memory') this.curve.push({ at: reported.at - this.begun, rss: reported.rss })
    if (reported.type === 'failed') this.failures.push(reported.message)
    for (const receive of [...this.#waiting]) receive(reported)
  }
}
