/** The calls that a run has begun and that have not ended. */
export class OpenCalls {
  readonly #open = new Map<Promise<unknown>, () => string>()
  /** Called for each call, with its promise. @default nothing */
  onCall: ((call: Promise<unknown>, name: () => string) => void) | undefined

  /** Records a call until it ends. If nobody awaits the call, its failure does not end the process (rule X9). */
  note<T>(call: Promise<T>, name: () => string): Promise<T> {
    this.#open.set(call, name)
    const ended = (): boolean => this.#open.delete(call)
    call.then(ended, ended)
    this.onCall?.(call, name)
    return call
  }

  /** The names of the open calls, for people. */
  get names(): readonly string[] {
    return Array.from(this.#open.values(), name => name())
  }

  get size(): number {
    return this.#open.size
  }

  /** Resolves when the calls that are open now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.keys())
  }
}

/** Names a call for people: the verb, the view, and the name of the object. */
export function callName(verb: string, [view, target]: readonly unknown[]): string {
  const { key } = (view ?? {}) as { readonly key?: unknown }
  if (typeof key !== 'string') return verb
  const { metadata, name } = (target ?? {}) as {
    readonly metadata?: { readonly name?: unknown }
    readonly name?: unknown
  }
  return `${verb} of ${key} ${metadata?.name ?? name ?? ''}`.trimEnd()
}
