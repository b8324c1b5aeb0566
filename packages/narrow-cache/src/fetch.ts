import {
  type ItemHandlers,
  type ListHead,
  listQuery,
  type Reading,
  type ReadTarget,
  startItems,
  TimeoutError,
  type Timer,
} from '@wherry/client'
import type { Shared } from './shared.ts'
import { type Known, nameOf } from './source.ts'

/** How long a fetch may take, in milliseconds: kube-apiserver gives up after 60 s by itself. */
const fetchMs = 65_000

/** Hears what came of a {@link Fetch}: one of these, once. */
export interface FetchHandlers {
  fetched(known: Known): void
  failed(error: Error): void
}

/**
 * One request for what the server has of one object now. Begins at once. It hears the answer itself, without a promise and a
 * signal: there may be very many.
 */
export class Fetch implements ItemHandlers {
  readonly #shared: Shared
  readonly #name: string
  readonly #on: FetchHandlers
  #request: Reading | undefined
  #timer: Timer | undefined
  #object: object | undefined
  #bytes = 0

  /** @param target selects the object of that name, and no other. */
  constructor(shared: Shared, target: ReadTarget, name: string, on: FetchHandlers) {
    const { settings, environment } = shared
    const query = listQuery(target.selection, {})
    this.#shared = shared
    this.#name = name
    this.#on = on
    this.#request = startItems(settings.client.context, target, query, { maxItemBytes: settings.maxObjectBytes }, this)
    this.#timer = environment.clock.timer(fetchMs, () =>
      this.stop(new TimeoutError(fetchMs, { method: 'GET', ...target })),
    )
    shared.fetches.add(this)
  }

  /** Ends it before there is an answer. */
  stop(cause: Error): void {
    this.#request?.abort()
    this.error(cause)
  }

  item(object: object, bytes: number): void {
    // From a server that does not know the selector.
    if (nameOf(object) !== this.#name) return
    this.#object = object
    this.#bytes = bytes
  }

  end({ metadata }: ListHead): void {
    const known = { object: this.#object, bytes: this.#bytes, resourceVersion: metadata.resourceVersion }
    this.#object = undefined
    this.#over()
    this.#on.fetched(known)
  }

  error(cause: Error): void {
    this.#over()
    this.#on.failed(cause)
  }

  #over(): void {
    this.#timer?.cancel()
    this.#shared.fetches.delete(this)
    // The set's former tables know it until a full collection: with nothing of what it was.
    this.#timer = undefined
    this.#request = undefined
  }
}
