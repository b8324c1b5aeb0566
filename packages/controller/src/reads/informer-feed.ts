import { projector } from '@wherry/client'
import { type Lister, TransformError } from '@wherry/informer'
import type { Feed, Known } from './feed.ts'
import type { InformerSource } from './informer-source.ts'
import type { TrackedObject } from './tracked-object.ts'

/** An object that is read from an informer. Its states are those that the informer keeps, whatever the view makes of them. */
export class InformerFeed implements Feed {
  readonly #source: InformerSource
  readonly #object: TrackedObject
  readonly #lister: Lister<unknown>

  constructor(source: InformerSource, object: TrackedObject) {
    this.#source = source
    this.#object = object
    this.#lister = source.lister(object.view)
    source.join(object.key.text, this)
  }

  get served(): 'informer' {
    return 'informer'
  }

  get isCatchingUp(): boolean {
    return this.peek() === undefined
  }

  peek(): Known | undefined {
    return this.#source.has(this.#object.key.text) ? this.#now() : undefined
  }

  value(state: unknown): unknown {
    const { view } = this.#object
    const isSame = view.projection.kind === this.#source.view.projection.kind
    return isSame ? state : projector(view)(state as object)
  }

  ready(signal: AbortSignal | undefined): Promise<void> {
    return this.#source.ready(this.#object.key.text, signal)
  }

  async live(signal: AbortSignal | undefined): Promise<Known> {
    for (;;) {
      // The object has to know its state: of its first one no key is told.
      const known = this.#object.peek()
      if (known !== undefined) return known
      await this.ready(signal)
    }
  }

  /** The informer is compared as a whole. */
  async compare(): Promise<void> {}

  /** The informer has heard of it. */
  heard(): void {
    this.#object.observe(this.#now())
  }

  close(): void {
    this.#source.leave(this.#object.key.text, this)
  }

  /** As the store has it: a slow handler may be told of an older state. */
  #now(): Known {
    const { text } = this.#object.key
    try {
      const isThere = this.#lister.get(text) !== undefined
      return { state: isThere ? this.#source.informer.get(text) : undefined }
    } catch (error) {
      if (error instanceof TransformError) return { error }
      throw error
    }
  }
}
