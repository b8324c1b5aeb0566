import type { ControlledApiServer, FaultHandle } from '@wherry/apiserver'
import type { PlannedFault } from './fault-option.ts'

/** The part of a server that faults need. */
export type FaultyServer = Pick<ControlledApiServer, 'faults' | 'stats' | 'endWatches' | 'breakConnections' | 'restart'>

/** Calls `fn` after `ms` milliseconds. Returns a function that cancels the call. */
export type After = (ms: number, fn: () => void) => () => void

const realTime: After = (ms, fn) => {
  const timer = setTimeout(fn, ms)
  return () => clearTimeout(timer)
}

/**
 * Starts faults at their times, and prints a line for each. Its disposal cancels waiting faults, and prints the number of requests that each rule has
 * hit: a rule that hit none may name a resource without requests.
 */
export class FaultPlayer implements AsyncDisposable {
  readonly #server: FaultyServer
  readonly #say: (line: string) => void
  readonly #after: After
  readonly #waiting = new Set<() => void>()
  readonly #rules: { readonly text: string; readonly handle: FaultHandle }[] = []
  readonly #notBegun = new Set<PlannedFault>()
  /** The last fault in the queue. Faults run one after the other, so that faults of the same time keep the order of the command line. */
  #last: Promise<void> = Promise.resolve()

  constructor(server: FaultyServer, say: (line: string) => void, after: After = realTime) {
    this.#server = server
    this.#say = say
    this.#after = after
  }

  /** Schedules the faults. Resolves when the faults without `at` are in force. */
  async start(faults: readonly PlannedFault[]): Promise<void> {
    for (const fault of faults) {
      this.#notBegun.add(fault)
      if (fault.atMs === 0) this.#do(fault, () => this.#begin(fault))
      else this.#wait(fault.atMs, fault, () => this.#begin(fault))
    }
    await this.#last
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cancel of this.#waiting) cancel()
    await this.#last
    for (const { text, handle } of this.#rules) {
      const hits = await handle.hits()
      this.#say(`fault ${text}: ${hits === 0 ? 'no request was hit' : `hit ${hits} request${hits === 1 ? '' : 's'}`}`)
    }
    for (const { text } of this.#notBegun) this.#say(`fault ${text}: the end came before it`)
  }

  #wait(ms: number, fault: PlannedFault, fn: () => Promise<string>): void {
    const cancel = this.#after(ms, () => {
      this.#waiting.delete(cancel)
      this.#do(fault, fn)
    })
    this.#waiting.add(cancel)
  }

  #do({ text }: PlannedFault, fn: () => Promise<string>): void {
    this.#last = this.#last.then(fn).then(
      what => this.#say(`fault ${text}: ${what}`),
      (error: Error) => this.#say(`fault ${text}: it failed: ${error.message}`),
    )
  }

  async #begin(fault: PlannedFault): Promise<string> {
    this.#notBegun.delete(fault)
    const { effect, forMs, text } = fault
    if (effect === 'reset') {
      await this.#server.breakConnections()
      return 'all connections are broken'
    }
    if (effect === 'restart') {
      await this.#server.restart()
      return 'the server has restarted'
    }
    if ('expireWatches' in effect) return await this.#expire(effect.expireWatches)
    const handle = await this.#server.faults.add(effect.rule)
    this.#rules.push({ text, handle })
    if (forMs === undefined) return 'in force'
    this.#wait(forMs, fault, () => handle.remove().then(() => 'over'))
    return 'in force'
  }

  /** Ends the open watches. The next requests of as many watches get a 410. */
  async #expire(resource: string | undefined): Promise<string> {
    const { byVerb } = await this.#server.stats()
    const open = Object.entries(byVerb.watch ?? {}).filter(([name]) => resource === undefined || name === resource)
    const there = open.filter(([, { openStreams }]) => openStreams > 0)
    for (const [name, { openStreams: times }] of there) {
      const match = { verb: 'watch', resource: name }
      await this.#server.faults.add({ match, times, effect: { kind: 'expired' } })
      await this.#server.endWatches(name)
    }
    const names = there.map(([name, { openStreams }]) => `${openStreams} of ${name}`)
    return names.length === 0 ? 'no watch was open' : `watches are ended, and get a 410 next: ${names.join(', ')}`
  }
}
