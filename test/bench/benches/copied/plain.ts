import type { Client, KubernetesObject, View } from '@wherry/client'
import { DynamicCache } from '@wherry/dynamic-cache'
import {
  type ClusterServiceVersion,
  clusterServiceVersions as csvs,
} from '../../../../examples/copied-resources/resources.ts'
import { Lanes } from '../copies/lanes.ts'
import { type Change, copyLabel, type Keeper, members, sources } from './keeper.ts'

/** What a controller without `@wherry/copies` differs in. */
export interface Mode<O extends KubernetesObject> {
  /** The cached view of copies. @default none */
  readonly copies?: View<O> | undefined
  /** Makes one copy as it should be. */
  bring(source: ClusterServiceVersion, at: { namespace: string; name: string }, observed: O | undefined): Promise<void>
}

/** A plain controller: a queue of copies, looked at when their source or their namespace has changed, or they themselves. */
export function plainKeeper<O extends KubernetesObject>(client: Client, { copies: view, bring }: Mode<O>): Keeper {
  const cache = new DynamicCache({ client })
  const parents = cache.informer(sources)
  const spaces = cache.informer(members)
  const copies = view && cache.informer(view)
  const lanes = new Lanes(20)
  const queued = new Set<string>()

  const look = (namespace: string, name: string): void => {
    const key = `${namespace}/${name}`
    if (queued.has(key)) return
    queued.add(key)
    lanes.add(async () => {
      queued.delete(key)
      const source = parents.get(`operators/${name}`)
      if (source === undefined || spaces.get(namespace) === undefined) return
      await bring(source, { namespace, name }, copies?.get(key))
    })
  }
  const lookAtSource = (name: string): void => {
    for (const namespace of spaces.keys()) look(namespace, name)
  }
  const lookAtMember = (namespace: string): void => {
    for (const key of parents.keys()) look(namespace, nameOf(key))
  }
  const all = (): void => {
    for (const namespace of spaces.keys()) lookAtMember(namespace)
  }
  /** The resourceVersions that handlers have received, once they have done what they do. */
  const received = new Map<string, string | undefined>()
  const receive = (of: Change['of'], key: string, object?: KubernetesObject): void =>
    void received.set(`${of} ${key}`, object?.metadata?.resourceVersion)
  const begun = (async () => {
    await cache.synced()
    all()
    parents.addHandler({
      update: (object, { key }) => {
        lookAtSource(nameOf(key))
        receive('source', key, object)
      },
    })
    spaces.addHandler({
      add: (object, { key, isInInitialList }) => {
        if (!isInInitialList) lookAtMember(key)
        receive('member', key, object)
      },
      update: (object, { key }) => receive('member', key, object),
      delete: (_, { key }) => {
        // One request for all copies of a namespace that has left.
        const left = csvs.within({ namespaces: [key], labels: { [copyLabel]: 'true' } })
        lanes.add(async () => void (await client.deleteCollection(left)))
        receive('member', key)
      },
    })
    copies?.addHandler({
      update: (object, { key }) => {
        look(key.slice(0, key.indexOf('/')), nameOf(key))
        receive('copy', key, object)
      },
    })
  })()

  return {
    started: async count => {
      await begun
      await lanes.done()
      if (copies !== undefined) await lanes.until(() => copies.size === count)
      await lanes.done()
    },
    resync: () => {
      all()
      return lanes.done()
    },
    after: async make => {
      received.clear()
      for (const { of, key, before } of await make()) {
        if (of === 'copy' && copies === undefined) continue
        const text = `${of} ${key}`
        await lanes.until(() => received.has(text) && received.get(text) !== before)
      }
      await lanes.done()
    },
    close: () => cache.close(),
  }
}

/** Of a key `namespace/name`, the name. */
function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
