import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { type Simulation, simulate } from '@wherry/testing'
import type { SinkEvent } from '../sink.ts'
import { WatchManager, type WatchManagerOptions } from '../watch-manager.ts'
import { MemoryCache } from './memory-cache.ts'
import type { MemoryInformerOptions } from './memory-informer.ts'

const definition = { group: 'test.example.com', version: 'v1', namespaced: true } as const

export const apples: Resource<KubernetesObject, 'namespaced'> = defineResource<KubernetesObject>({
  ...definition,
  kind: 'Apple',
  plural: 'apples',
})
export const pears: Resource<KubernetesObject, 'namespaced'> = defineResource<KubernetesObject>({
  ...definition,
  kind: 'Pear',
  plural: 'pears',
})

export interface SetUp {
  readonly simulation: Simulation
  readonly cache: MemoryCache
  readonly manager: WatchManager
}

/** A started manager on simulated time, and the cluster that it watches. */
export function setUp(
  options: MemoryInformerOptions &
    Partial<WatchManagerOptions> & { readonly start?: boolean; readonly seed?: number } = {},
): SetUp {
  const { listMs, maxTombstones, start = true, seed = 1, ...rest } = options
  const simulation = simulate(seed)
  const { environment } = simulation
  const cache = new MemoryCache(environment, { listMs, maxTombstones })
  const manager = new WatchManager({ cache, environment, ...rest })
  if (start) manager.start()
  return { simulation, cache, manager }
}

/** An event in a line: `changed default/a 3`, `reset apples`, `synced apples`. */
export function line(event: SinkEvent): string {
  if (event.type === 'reset') return `reset ${event.view.resource.plural}`
  if (event.type === 'synced') {
    const { failed, retrying, view } = event
    const rest = [...failed.map(key => `failed ${key}`), ...retrying.map(key => `retrying ${key}`)]
    return ['synced', view.resource.plural, ...rest].join(' ')
  }
  const { metadata } = event.object as KubernetesObject
  const unknown = event.type === 'deleted' && event.finalStateUnknown ? ' unknown' : ''
  return `${event.type} ${metadata?.name} ${metadata?.resourceVersion}${unknown}`
}
