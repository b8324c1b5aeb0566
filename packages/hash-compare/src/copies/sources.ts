import type { KubernetesObject } from '@wherry/client'
import { Fixpoints } from './fixpoints.ts'
import { sourceId } from './marks.ts'
import type { CopyReconcilerOptions } from './options.ts'
import { Source } from './source.ts'
import { copyItem } from './work-item.ts'

/** The sources that are known, and those that are gone while their copies still are. */
export class Sources<P, T extends KubernetesObject> {
  readonly #options: CopyReconcilerOptions<P, T>
  readonly #byId = new Map<string, Source<P, T>>()

  constructor(options: CopyReconcilerOptions<P, T>) {
    this.#options = options
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): Source<P, T> | undefined {
    return this.#byId.get(id)
  }

  /** As they are now; those that come or go meanwhile do no harm. */
  all(): Source<P, T>[] {
    return [...this.#byId.values()]
  }

  /**
   * What was heard of a source: its state, or, `undefined`, that it is gone. Gives its id where there is work to spread.
   * @param isInitial it was there when this process began.
   */
  heard(key: string, current: P | undefined, isInitial: boolean): string | undefined {
    const id = sourceId(key)
    let source = this.#byId.get(id)
    if (source === undefined) {
      if (current === undefined) return undefined
      const { name, adapt, copyName } = this.#options
      // So many desired states are known at once; where each copy has its own, a few of each.
      const most = adapt === undefined && copyName === undefined ? 32 : 16_384
      source = new Source({ set: name, id, key }, this.#options, new Fixpoints(most), isInitial)
      this.#byId.set(id, source)
    }
    source.isCold &&= isInitial
    source.set(current)
    return id
  }

  /** The work of every copy that a source has or had. Throws what `copyName` throws. */
  spread(id: string, namespaces: Iterable<string>): string[] {
    const source = this.#byId.get(id)
    if (source === undefined) return []
    const items = [...namespaces].flatMap(namespace => this.copiesIn(namespace, source))
    source.spread = source.current
    if (source.current === undefined) this.#byId.delete(id)
    return items
  }

  /** The work of the copies of a source in a namespace: as they are called now, and when its work was last spread. */
  copiesIn(namespace: string, source: Source<P, T>): string[] {
    const states = [source.current, source.spread].filter(state => state !== undefined)
    const names = new Set(states.map(state => source.nameIn(namespace, state)))
    return [...names].map(name => copyItem(source.mark.id, namespace, name))
  }
}
