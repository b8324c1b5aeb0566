import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A call to a sink. Other work may have to wait for its end. It also identifies its async context: calls that are made within it are
 * recognized (rule R23).
 */
export class Call {
  /** The subject of the call; empty before the call is awaited. */
  what = ''
  /** The call within which it was made. */
  readonly outer: Call | undefined

  constructor(outer?: Call) {
    this.outer = outer
  }
}

/** Finds the call within which code runs. */
export class CallContext {
  readonly #storage = new AsyncLocalStorage<Call | undefined>()

  /** The innermost call that the present code runs in, also after an `await`. */
  get current(): Call | undefined {
    return this.#storage.getStore()
  }

  within<A extends unknown[], R>(call: Call, fn: (...args: A) => R, ...args: A): R {
    return this.#storage.run(call, fn, ...args)
  }

  /** Calls a function outside the present call: its work outlives that call. */
  outside<R>(fn: () => R): R {
    return this.#storage.run(undefined, fn)
  }
}

/** Calls that are under way. */
export class Running {
  /** Most sinks have one call at a time, which needs no set. */
  #first: Call | undefined
  #others: Set<Call> | undefined
  #waiting: (() => void)[] | undefined

  get size(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0)
  }

  begin(call: Call, what: string): void {
    call.what = what
    if (this.#first === undefined) {
      this.#first = call
      return
    }
    this.#others ??= new Set()
    this.#others.add(call)
  }

  end(call: Call): void {
    if (this.#first === call) this.#first = undefined
    else this.#others?.delete(call)
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const look of waiting ?? []) look()
  }

  /** The subjects of the calls under way, except for `current` and the calls that contain it. */
  callsOutside(current: Call | undefined): readonly string[] {
    const own = new Set<Call>()
    for (let call = current; call !== undefined; call = call.outer) own.add(call)
    const all = [...(this.#first === undefined ? [] : [this.#first]), ...(this.#others ?? [])]
    return all.filter(call => !own.has(call)).map(call => call.what)
  }

  /** Resolves when no call is under way, except for `current` and the calls that contain it. */
  idle(current?: Call): Promise<void> {
    return new Promise(resolve => {
      const look = (): void => {
        if (this.callsOutside(current).length === 0) return resolve()
        this.#waiting ??= []
        this.#waiting.push(look)
      }
      look()
    })
  }
}
