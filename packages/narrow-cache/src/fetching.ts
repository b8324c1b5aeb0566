import { Backoff, type Timer } from '@wherry/client'
import type { Kind } from './kind.ts'
import { type Level, namedTarget } from './level.ts'
import type { Known } from './source.ts'

/** Who is read anew. */
export interface Fetched {
  readonly bucket: { readonly kind: Kind; readonly namespace: string | undefined }
  readonly key: { readonly name: string }
  readonly level: Level
  /** It has no watch of its own that would tell. */
  readonly isFetchable: boolean
  /** It was read. Gives whether that was any good. */
  fetched(known: Known, level: Level): boolean
  fetchFailed(error: Error): void
}

/**
 * Reads one object anew, when it has changed and its own watch does not tell (rule N11): when its turn comes, and again
 * until that succeeds.
 */
export class Fetching {
  /** It has changed since it was read last, or may have. */
  isDirty = false
  readonly #of: Fetched
  #isUnderWay = false
  #error: Error | undefined
  #backoff: Backoff | undefined
  #retry: Timer | undefined

  constructor(of: Fetched) {
    this.#of = of
  }

  /** What is held may be older than what the server has. */
  get isBehind(): boolean {
    return this.isDirty || this.#isUnderWay
  }

  /** Why the last time was in vain. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Reads it: now, or once more where that is under way. */
  ask(): void {
    this.isDirty = true
    if (this.#isUnderWay || this.#retry !== undefined) return
    this.#isUnderWay = true
    this.#of.bucket.kind.shared.queue(() => this.#once())
  }

  /** It need not be read any more. What is under way is not taken. */
  end(): void {
    this.isDirty = false
    this.#error = undefined
    this.#retry?.cancel()
    this.#retry = undefined
  }

  async #once(): Promise<void> {
    const of = this.#of
    const { kind, namespace } = of.bucket
    const { level } = of
    this.isDirty = false
    let known: Known | undefined
    let failure: Error | undefined
    if (of.isFetchable) {
      kind.shared.count('wherry_narrow_fetches_total', kind.resource)
      known = await kind.shared.fetch(namedTarget(kind.view, namespace, level, of.key.name)).catch(error => {
        failure = error
        return undefined
      })
    }
    this.#isUnderWay = false
    if (!of.isFetchable) return
    if (known === undefined) return this.#later(failure as Error)
    this.#error = undefined
    this.#backoff = undefined
    if (!of.fetched(known, level) || this.isDirty) this.ask()
  }

  #later(error: Error): void {
    const { environment } = this.#of.bucket.kind.shared
    this.isDirty = true
    this.#error = error
    this.#backoff ??= new Backoff(environment)
    this.#retry = environment.clock.timer(this.#backoff.next(), () => {
      this.#retry = undefined
      if (this.#of.isFetchable) this.ask()
    })
    this.#of.fetchFailed(error)
  }
}
