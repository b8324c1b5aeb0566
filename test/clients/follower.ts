import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program that follows the ConfigMaps of a namespace, and what it holds of them by what it said. */
export class Follower {
  readonly name: string
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  #held = new Map<string, string>()
  #synced = false
  #problems = ''
  #gone = false

  constructor(name: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.name = name
    this.#child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#problems = (this.#problems + text).slice(-4000)
    })
    this.#child.on('close', () => {
      this.#gone = true
      for (const look of [...this.#waiting]) look()
    })
    if (this.#child.stdout !== null) createInterface(this.#child.stdout).on('line', line => this.#receive(line))
  }

  /** Resolves when it has synced and holds just this; fails with what it holds, after `withinMs`. */
  until(expected: ReadonlyMap<string, string>, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        this.#waiting.delete(look)
        const [held, wanted] = [this.#held, expected].map(map => JSON.stringify([...map].sort()))
        const how = this.#gone ? 'has ended' : `holds ${held}, and not ${wanted}`
        reject(new Error(`${this.name} ${how}; it said: ${this.#problems}`))
      }
      const look = (): void => {
        const done = this.#synced && equal(this.#held, expected)
        if (!done && !this.#gone) return
        this.#waiting.delete(look)
        clearTimeout(timer)
        if (done) resolve()
        else fail()
      }
      const timer = setTimeout(fail, withinMs)
      this.#waiting.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    const closed = this.#gone ? undefined : once(this.#child, 'close')
    this.#child.stdin?.on('error', () => undefined).end()
    await closed
  }

  #receive(line: string): void {
    const [what, name = '', value = ''] = line.split(' ')
    if (what === 'listing') this.#held = new Map()
    else if (what === 'synced') this.#synced = true
    else if (what === 'deleted') this.#held.delete(name)
    else this.#held.set(name, value)
    for (const look of [...this.#waiting]) look()
  }
}

function equal(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}
