import { type Client, type ObjectKey, resourceName } from '@wherry/client'
import { hash } from '@wherry/hash-compare'
import { guarded, TransformError } from '@wherry/informer'
import type { Answer, Feed, Known } from './feed.ts'
import type { TrackedObject } from './tracked-object.ts'

/** The digest of an object before it was asked for, of one that is not there, and where it can't be told. */
const unknown = '?'
/** The digest of an object that could not be transformed. */
const untold = '!'

/** An object that can't be watched: the server is asked for it, at each read and from time to time (rule C16). */
export class PollFeed implements Feed {
  readonly served = 'polled'
  readonly isCatchingUp = false
  readonly #client: Client
  readonly #object: TrackedObject
  #digest = unknown
  #refusedAt: number

  constructor(client: Client, object: TrackedObject) {
    this.#client = client
    this.#object = object
    this.#refusedAt = client.environment.clock.monotonic()
  }

  /** When a watch was refused last, on the monotonic clock. */
  get refusedAt(): number {
    return this.#refusedAt
  }

  /** It still can't be watched. */
  refused(): void {
    this.#refusedAt = this.#client.environment.clock.monotonic()
  }

  peek(): undefined {}

  value(state: unknown): unknown {
    return state
  }

  async ready(): Promise<void> {}

  async live(signal: AbortSignal | undefined): Promise<Answer> {
    const { view, key } = this.#object
    const { heard } = this.#object
    const found = this.#client.get(guarded(view), key as ObjectKey, { signal })
    const known = await found.then((state): Known => ({ state }), untransformed)
    // It hears in another way by now.
    if (this.#object.feed !== this) return { ...known, heard }
    const digest = known.error === undefined ? digestOf(known.state) : untold
    if (digest !== this.#digest || digest === unknown) {
      this.#digest = digest
      if (known.error !== undefined) {
        const about = { resource: resourceName(view.resource), phase: 'transform', key: key.text }
        this.#client.environment.onError(known.error, about)
      }
      this.#object.observe(known)
    }
    return { ...known, heard: this.#object.heard }
  }

  close(): void {}
}

function untransformed(error: unknown): Known {
  if (error instanceof TransformError) return { error }
  throw error
}

function digestOf(object: unknown): string {
  try {
    return hash(object, { integers: 'bigint' })
  } catch {
    // A projection that gives no JSON may have changed; what is not there is known to be the same.
    return unknown
  }
}
