import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Clock ticks of `/proc/PID/stat` a second: 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100

/** What a program cost until it said so. */
export interface Cost {
  /** Since it was started, in milliseconds. */
  readonly ms: number
  /** Time on processors, its own and the kernel's for it, in milliseconds. */
  readonly cpuMs: number
  readonly rssBytes: number
  /** Without the pages of files. */
  readonly anonymousBytes: number
  /** The greatest RSS that it had. */
  readonly peakBytes: number
}

/**
 * A program of any language that is measured from outside, from its start on. It says how far it is by lines on standard
 * output. Linux only.
 */
export class Program {
  readonly #child: ChildProcess
  readonly #start = performance.now()
  readonly #closed: Promise<string>
  readonly #said = new Set<string>()
  #stderr = ''
  #onLine: (() => void) | undefined

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#closed = once(this.#child, 'close').then(
      ([code, signal]) => `ended with ${signal ?? `code ${code}`}`,
      (error: Error) => error.message,
    )
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-8192)
    })
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', line => {
      this.#said.add(line)
      this.#onLine?.()
    })
  }

  /** Resolves as soon as the program has printed that line. Rejects, with its stderr, when it ends before. */
  async says(line: string): Promise<Cost> {
    await this.#line(said => said === line)
    return this.cost()
  }

  /** The number that the program prints behind a name, as `heap 1000`. Rejects as {@link Program.says} does. */
  async number(name: string): Promise<number> {
    const line = await this.#line(said => said.startsWith(`${name} `))
    return Number(line.slice(name.length))
  }

  async #line(isIt: (line: string) => boolean): Promise<string> {
    const find = (): string | undefined => [...this.#said].find(isIt)
    const said = new Promise<undefined>(resolve => {
      this.#onLine = () => find() !== undefined && resolve(undefined)
      this.#onLine()
    })
    const ended = await Promise.race([said, this.#closed])
    const found = find()
    if (found === undefined) throw new Error(`the program ${ended}\n${this.#stderr}`)
    return found
  }

  /** What it has cost until now. */
  cost(): Cost {
    const ms = performance.now() - this.#start
    const { pid } = this.#child
    // The program's name, in brackets, may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = (name: string, text = rollup): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1])
    return {
      ms,
      cpuMs: (ticks * 1000) / TICKS_PER_S,
      rssBytes: kilobytes('Rss') * 1024,
      anonymousBytes: kilobytes('Anonymous') * 1024,
      peakBytes: kilobytes('VmHWM', status) * 1024,
    }
  }

  /** Sends it a signal that ends it, and resolves when it is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#child.kill(signal)
    await this.#closed
  }

  /** Kills it, and resolves when it is gone. Idempotent. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
  }
}
