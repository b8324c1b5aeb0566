import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Output } from '../host.ts'
import { type Explain, type FromOperator, go, isFromOperator } from './messages.ts'

/** How many questions wait for an operator at most. */
const mostAsked = 100

/** How a program is run. */
export interface ProgramOptions {
  readonly file: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Output
  readonly stderr: Output
  /** Called with each message of its operator, except the answers to `explain`. */
  readonly received: (message: Exclude<FromOperator, { type: 'explained' }>) => void
  /** Called when the program has ended by itself. */
  readonly ended: (how: string) => void
  /** The time that the program has to stop before it is killed, in milliseconds. @default 10_000 */
  readonly stopMs?: number | undefined
}

/** Runs the program of an operator, again after each stop. */
export class Program {
  readonly #options: ProgramOptions
  readonly #asked = new Map<number, (text: string) => void>()
  #child: ChildProcess | undefined
  /** A waiting process, which runs the program at the next start. */
  #next: ChildProcess | undefined
  #last = 0

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  start(): void {
    const { stdout, stderr, received, ended } = this.#options
    const next = this.#next
    this.#next = undefined
    // A process that has ended while it waited, for example for lack of memory, would never run the program, and nothing would report that.
    const child = next === undefined || hasEnded(next) ? this.#waiting() : next
    this.#child = child
    // Without a pipe the child writes to the terminal itself.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => stdout.write(text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => stderr.write(text))
    child.on('message', (message: unknown) => {
      if (this.#child !== child || !isFromOperator(message)) return
      if (message.type === 'explained') return this.#answer(message.id, message.text)
      received(message)
      // The operator has started, so now there is time to prepare the process for the next start.
      this.#next ??= this.#waiting()
    })
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      for (const id of this.#asked.keys()) this.#answer(id, 'the operator has ended')
      ended(`${signal ?? code}`)
    })
    // If the child has died, its `exit` event reports that.
    child.send(go, () => undefined)
  }

  /** Stops the program by SIGTERM, as a rollout does. Resolves when its process has ended. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    for (const id of this.#asked.keys()) this.#answer(id, 'the operator has ended')
    await end(child, this.#options)
  }

  /** Stops the program and the waiting process. */
  async close(): Promise<void> {
    const next = this.#next
    this.#next = undefined
    await Promise.all([this.stop(), end(next, this.#options)])
  }

  /** Asks the operator to explain a key. */
  explain(controller: string, key: string): Promise<string> {
    const child = this.#child
    if (child === undefined) return Promise.resolve('no operator runs')
    // An operator that never yields does not answer, so the number of waiting questions is limited.
    if (this.#asked.size >= mostAsked) return Promise.resolve('the operator does not answer')
    const id = ++this.#last
    const message: Explain = { id, controller, key }
    return new Promise(resolve => {
      this.#asked.set(id, resolve)
      child.send(message, error => {
        if (error !== null) this.#answer(id, error.message)
      })
    })
  }

  /** A process that loads the slow modules, and runs the program when it receives `go`. */
  #waiting(): ChildProcess {
    const { file, cwd, env, stdout, stderr } = this.#options
    return spawn(process.execPath, [...process.execArgv, '--import', entry('inside'), resolve(cwd, file)], {
      ...{
        cwd,
        env: { ...env, WHERRY_DEV_WAITS: 'true' },
        stdio: ['ignore', passedOn(stdout, 1), passedOn(stderr, 2), 'ipc'],
      },
    })
  }

  #answer(id: number, text: string): void {
    this.#asked.get(id)?.(text)
    this.#asked.delete(id)
  }
}

/** The output of a child. A terminal is passed on, because an operator logs text to a terminal and JSON to a pipe. */
export function passedOn(to: Output, descriptor: 1 | 2): 'pipe' | 1 | 2 {
  const own = descriptor === 1 ? process.stdout : process.stderr
  return to === own && own.isTTY ? descriptor : 'pipe'
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Stops a process. A process that never yields does not handle the signal, and is killed. */
async function end(child: ChildProcess | undefined, { file, stderr, stopMs = 10_000 }: ProgramOptions): Promise<void> {
  if (child === undefined || hasEnded(child)) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    stderr.write(`wherry dev: ${file} did not stop within ${stopMs / 1000} s, and is killed\n`)
    child.kill('SIGKILL')
  }, stopMs)
  await exit
  clearTimeout(timer)
}

/** The URL of a module of this package that another process loads: near this file in the source, in a place of its own in the built package. */
export function entry(name: 'inside' | 'bin'): string {
  const here = import.meta.url
  const paths = { inside: ['./inside.ts', './dev/inside.js'], bin: ['../bin.ts', './bin.js'] } as const
  return new URL(paths[name][here.endsWith('.ts') ? 0 : 1], here).href
}

/** The path of the command line, for a process of its own. */
export const commandLine = (): string => fileURLToPath(entry('bin'))
