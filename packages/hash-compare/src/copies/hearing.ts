import type { KubernetesObject, PartialObjectMetadata } from '@wherry/client'
import type { WorkQueue } from '@wherry/work-queue'
import type { CopyContext } from './context.ts'
import type { CopyHandler } from './copy-cache.ts'
import type { CopyHandlers } from './copy-views.ts'
import { sourceIdOf } from './marks.ts'
import { marksOf, type Observed, stateOf } from './observed.ts'
import type { Sources } from './sources.ts'
import { copyItem, namespaceItem, sourceItem, splitKey } from './work-item.ts'

/** Hears of sources, namespaces and copies, and queues what is to be looked at: of a copy that copy alone (rule H7). */
export class Hearing<P, T extends KubernetesObject> implements CopyHandlers<P, T> {
  readonly #context: Pick<CopyContext<P, T>, 'ownWrites' | 'claims'>
  readonly #sources: Sources<P, T>
  readonly #queue: Pick<WorkQueue, 'add'>

  constructor(
    context: Pick<CopyContext<P, T>, 'ownWrites' | 'claims'>,
    sources: Sources<P, T>,
    queue: Pick<WorkQueue, 'add'>,
  ) {
    this.#context = context
    this.#sources = sources
    this.#queue = queue
  }

  readonly sources: CopyHandler<P> = {
    add: (object, { key, isInInitialList }) => this.#sourceIs(key, object, isInInitialList),
    update: (object, _, { key }) => this.#sourceIs(key, object, false),
    delete: (_, { key }) => this.#sourceIs(key, undefined, false),
  }

  readonly namespaces: CopyHandler<PartialObjectMetadata> = {
    add: (_, { key }) => this.#queue.add(namespaceItem(key)),
    update: (_, __, { key }) => this.#queue.add(namespaceItem(key)),
    // Its copies are told of one by one.
    delete: () => {},
  }

  readonly copies: CopyHandler<Observed<T>> = {
    add: (object, { key, isInInitialList }) => this.#copyIs(key, object, isInInitialList),
    update: (object, old, { key }) => {
      if (sourceIdOf(marksOf(old)) !== sourceIdOf(marksOf(object))) this.lookAt(key, old)
      this.#copyIs(key, object, stateOf(object).resourceVersion === stateOf(old).resourceVersion)
    },
    delete: (object, { key }) => {
      const { ownWrites, claims } = this.#context
      ownWrites.gone(key)
      claims?.forget(key)
      this.#sources.get(sourceIdOf(marksOf(object)) ?? '')?.fixpoints.forget(key)
      this.lookAt(key, object)
    },
  }

  /** Queues a copy, if it says whose it is. */
  lookAt(key: string, object: Observed<T> | undefined): void {
    const id = object && sourceIdOf(marksOf(object))
    if (id !== undefined) this.#queue.add(copyItem(id, ...splitKey(key)))
  }

  #sourceIs(key: string, current: P | undefined, isInitial: boolean): void {
    const id = this.#sources.heard(key, current, isInitial)
    if (id !== undefined) this.#queue.add(sourceItem(id))
  }

  /** @param isKnown it is no change, or it can't be known whether it is one. */
  #copyIs(key: string, object: Observed<T>, isKnown: boolean): void {
    const { ownWrites, claims } = this.#context
    const { resourceVersion } = stateOf(object)
    if (!isKnown && !ownWrites.covers(key, resourceVersion)) claims?.suspect(key, resourceVersion)
    ownWrites.saw(key, resourceVersion)
    this.lookAt(key, object)
  }
}
