import type { CheckedKey, View } from '@wherry/client'
import { projector } from '@wherry/client/internal'
import type { Lister } from '@wherry/informer'
import { type Known, TrackedObject, untransformed } from './tracked-object.ts'

/** The part of an informer that an object needs. */
export interface ObjectSource {
  readonly view: View
  readonly informer: Pick<Lister<unknown>, 'get'>
  /** Whether the informer is current, and shows the writes of this process to the object. */
  has(key: string): boolean
  /** Resolves when `has` may be true. Rejects with the signal's reason, an `OwnWriteTimeoutError`, or as the informer's own `whenSynced` does. */
  ready(key: string, signal: AbortSignal | undefined): Promise<void>
  lister(view: View): Lister<unknown>
  join(key: string, object: InformerObject): void
  leave(key: string, object: InformerObject): void
}

/** An object that is read from an informer. Its states are the informer's objects, before the projection of its own view. */
export class InformerObject extends TrackedObject {
  override readonly served = 'informer'
  readonly #source: ObjectSource
  readonly #lister: Lister<unknown>

  constructor(view: View, key: CheckedKey, released: () => void, source: ObjectSource) {
    super(view, key, released)
    this.#source = source
    this.#lister = source.lister(view)
    source.join(key.text, this)
  }

  override get isCatchingUp(): boolean {
    return !this.#source.has(this.key.text)
  }

  override ready(signal: AbortSignal | undefined): Promise<void> {
    return this.#source.ready(this.key.text, signal)
  }

  override async live(signal: AbortSignal | undefined): Promise<Known> {
    for (;;) {
      // A state of the informer is needed, because `peek` records it: no key is notified of the first recorded state.
      const known = this.peek()
      if (known !== undefined) return known
      await this.ready(signal)
    }
  }

  /** Does nothing: the informer is compared as a whole. */
  override async compare(): Promise<void> {}

  /** The informer has received a state of the object. */
  receive(): void {
    this.observe(this.#now())
  }

  protected override shown(): Known | undefined {
    return this.isCatchingUp ? undefined : this.#now()
  }

  protected override projected(state: unknown): unknown {
    const isSame = this.view.projection.kind === this.#source.view.projection.kind
    return isSame ? state : projector(this.view)(state as object)
  }

  protected override release(): void {
    this.#source.leave(this.key.text, this)
    super.release()
  }

  /** The state in the informer's store: a slow handler may still receive an older state. */
  #now(): Known {
    const { text } = this.key
    try {
      const isThere = this.#lister.get(text) !== undefined
      return { state: isThere ? this.#source.informer.get(text) : undefined }
    } catch (error) {
      return untransformed(error)
    }
  }
}
