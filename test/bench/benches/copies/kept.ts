import type { KubernetesObject } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { SharedInformer } from '@wherry/informer'
import { Lanes } from './lanes.ts'
import type { Keeper } from './measure.ts'

/** What a keeper of the bench's own differs in. */
export interface KeptParts {
  readonly cache: DynamicCache
  readonly parents: SharedInformer<KubernetesObject>
  readonly spaces: SharedInformer<unknown>
  readonly copies: SharedInformer<unknown>
  /** On every resync, for each copy by its key. */
  write(key: string): Promise<void>
  /** When a copy has changed. */
  look(key: string): Promise<void>
}

/** Writes a copy of each parent into each space, 20 at a time, and looks at those that change. */
export function kept({ cache, parents, spaces, copies, write, look }: KeptParts): Keeper {
  const lanes = new Lanes(20)
  const all = async (): Promise<void> => {
    for (const space of spaces.keys()) {
      for (const parent of parents.keys()) lanes.add(() => write(`${space}/${parent.slice('sources/'.length)}`))
    }
    await lanes.done()
  }
  const started = (async () => {
    await cache.synced()
    await all()
    await lanes.until(() => copies.size === spaces.size * parents.size)
    copies.addHandler({
      update: (object, { old, key }) => {
        if (object !== old) lanes.add(() => look(key))
      },
    })
  })()
  return {
    settled: async () => void (await Promise.all([started, lanes.done()])),
    resync: all,
    close: () => cache.close(),
  }
}
