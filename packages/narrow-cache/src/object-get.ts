import {
  Backoff,
  type ItemHandlers,
  type ListHead,
  listQuery,
  type Reading,
  startItems,
  TimeoutError,
  type Timer,
} from '@wherry/client'
import type { Task } from './concurrency-limit.ts'
import type { EntryScope } from './entry-scope.ts'

/** How long a GET may take, in milliseconds: kube-apiserver gives up after 60 s by itself. */
const timeoutMs = 65_000

/** A state of one object: the object, or its absence. */
export interface Known {
  readonly object: object | undefined
  readonly bytes: number
  /** The resourceVersion of the list, of the object, or of its deletion: how new the state is. */
  readonly resourceVersion: string | undefined
}

/** What was known when the server was asked. */
export interface Asked {
  readonly epoch: number
  /** How many writes this process had told of. */
  readonly writes: number
  /** How new the state of the object was. The answer is not older, unless the server counts anew. */
  readonly reached: string | undefined
}

/** The entry that is read. */
export interface GetListener {
  readonly scope: EntryScope
  readonly key: { readonly name: string }
  asked(): Asked
  got(known: Known, asked: Asked): void
  getFailed(error: Error): void
  /** No more is to be read. */
  upToDate(): void
}

/**
 * Reads one object anew, in its turn: once for all that ask meanwhile, and again with backoff until it succeeds. The GET is a list of
 * one name, whose resourceVersion tells how new an absence is. It hears the answer without a promise and a signal: there may be many.
 */
export class ObjectGet implements Task {
  /** Why the last try failed. */
  error: Error | undefined
  readonly #of: GetListener
  #state: 'idle' | 'queued' | 'reading' | 'waiting' = 'idle'
  /** It is to be read once more when this is over. */
  #isDirty = false
  #asked: Asked | undefined
  #request: Reading | undefined
  /** Bounds the request, or the wait for the next. */
  #timer: Timer | undefined
  #backoff: Backoff | undefined
  #object: object | undefined
  #bytes = 0
  readonly #handlers: ItemHandlers = {
    item: (object, bytes) => {
      // From a server that does not know the selector.
      if (nameOf(object) !== this.#of.key.name) return
      this.#object = object
      this.#bytes = bytes
    },
    end: head => this.#got(head),
    error: error => this.#failed(error),
  }

  constructor(of: GetListener) {
    this.#of = of
  }

  /** The object has changed since it was read, or may have. */
  get isPending(): boolean {
    return this.#state !== 'idle' || this.#isDirty
  }

  /** Reads it in its turn, or once more if it is being read. */
  ask(): void {
    if (this.#state === 'reading') this.#isDirty = true
    if (this.#state !== 'idle') return
    this.#state = 'queued'
    this.#isDirty = false
    this.#of.scope.of.shared.requests.enter(this)
  }

  /** It need not be read any more. */
  end(): void {
    this.#of.scope.of.shared.requests.withdraw(this)
    this.#request?.abort()
    this.#isDirty = false
    this.error = undefined
    this.#over()
  }

  begin(): void {
    const { scope, key } = this.#of
    const { shared, resource } = scope.of
    const { client, maxObjectBytes } = shared.settings
    const target = scope.target(key.name)
    this.#state = 'reading'
    this.#asked = this.#of.asked()
    shared.count('wherry_narrow_fetches_total', resource)
    const query = listQuery(target.selection, {})
    this.#request = startItems(client.context, target, query, { maxItemBytes: maxObjectBytes }, this.#handlers)
    this.#timer = shared.environment.clock.timer(timeoutMs, () => {
      this.#request?.abort()
      this.#failed(new TimeoutError(timeoutMs, { method: 'GET', ...target }))
    })
  }

  #got({ metadata }: ListHead): void {
    const known = { object: this.#object, bytes: this.#bytes, resourceVersion: metadata.resourceVersion }
    const asked = this.#asked as Asked
    this.#over()
    this.error = undefined
    this.#backoff = undefined
    this.#of.got(known, asked)
    if (this.#isDirty) this.ask()
    else if (!this.isPending) this.#of.upToDate()
  }

  #failed(error: Error): void {
    this.#over()
    this.error = error
    this.#askLater()
    this.#of.getFailed(error)
  }

  #askLater(): void {
    const { environment } = this.#of.scope.of.shared
    if (this.#state !== 'idle') return
    this.#state = 'waiting'
    this.#isDirty = false
    this.#backoff ??= new Backoff(environment)
    this.#timer = environment.clock.timer(this.#backoff.next(), () => {
      this.#state = 'idle'
      this.ask()
    })
  }

  #over(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#request = undefined
    this.#object = undefined
    const wasReading = this.#state === 'reading'
    this.#state = 'idle'
    if (wasReading) this.#of.scope.of.shared.requests.leave()
  }
}

/** The name of an object as received. */
export function nameOf(object: object): string {
  return (object as { readonly metadata: { readonly name: string } }).metadata.name
}
