import type { Environment, KubernetesObject, Resource, View } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type RecordedEnvironment, type Simulation, simulate } from '@wherry/testing'
import type { Change } from '../../change.ts'
import type { Handler } from '../../registrations/handler.ts'
import type { IndexFunction } from '../indices.ts'
import type { Store } from '../store.ts'

/** As tests use it: a ConfigMap with one value. */
export interface Item extends KubernetesObject {
  data?: Record<string, string> | undefined
}

export const items: Resource<Item, 'namespaced'> = configMaps as unknown as Resource<Item, 'namespaced'>

/** What a store under test is made with. */
export interface MakeOptions {
  readonly environment: Environment
  readonly view?: View<Item, 'namespaced'> | undefined
  readonly transform?: ((object: object) => Item) | undefined
  readonly freeze?: boolean | undefined
  readonly indices?: Readonly<Record<string, IndexFunction<Item>>> | undefined
  readonly maxTombstones?: number | undefined
  readonly maxTombstoneBytes?: number | undefined
}

export type MakeStore = (options: MakeOptions) => Store<Item, 'namespaced'>

export interface ItemParts {
  readonly uid?: string | undefined
  readonly labels?: Record<string, string> | undefined
  readonly value?: string | undefined
}

/** An object as decoded. `key` is `namespace/name`; its uid is its key unless given, its value its resourceVersion. */
export function item(key: string, resourceVersion: number, parts: ItemParts = {}): Item {
  const [namespace = '', name = ''] = key.split('/')
  const { uid = key, labels, value = `${resourceVersion}` } = parts
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid, resourceVersion: `${resourceVersion}`, ...(labels && { labels }) },
    data: { value },
  }
}

/** `a/x@3`: an object's key and value. */
export function shown(object: Item | undefined): string {
  const { metadata, data } = object ?? {}
  return `${metadata?.namespace}/${metadata?.name}@${data?.value}`
}

/** A change in a word. */
export function line(change: Change<Item>): string {
  if (change.type === 'reset') return 'reset'
  if (change.type === 'synced') return ['synced', ...change.failed].join(' ')
  const unknown = change.type === 'deleted' && change.finalStateUnknown ? ' unknown' : ''
  return `${change.type} ${shown(change.object)}${unknown}`
}

/** A handler that writes down what it receives. */
export function recorder(log: string[], name = ''): Handler<Item> {
  return {
    add: (object, { isInInitialList }) => {
      log.push(`${name}add ${shown(object)}${isInInitialList ? ' initial' : ''}`)
    },
    update: (object, { old }) => {
      log.push(`${name}update ${shown(old)} ${shown(object)}`)
    },
    delete: (object, { finalStateUnknown }) => {
      log.push(`${name}delete ${shown(object)}${finalStateUnknown ? ' unknown' : ''}`)
    },
  }
}

export interface Bed {
  readonly simulation: Simulation
  readonly environment: RecordedEnvironment
}

export function bed(seed = 1): Bed {
  const simulation = simulate(seed)
  return { simulation, environment: simulation.environment }
}

/** Sorted keys with values: the contents of a store. */
export function contentsOf(store: Store<Item, 'namespaced'>): string[] {
  return store.list().map(shown).sort()
}
