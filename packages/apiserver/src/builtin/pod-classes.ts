import { type JsonObject, own, stringAt } from '@wherry/cel/internal'
import { materialise } from '../objects/stored.ts'
import { objectKey, type Store } from '../store/store.ts'

const priorities = {
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
  custom: false,
}
const runtimes = {
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
  custom: false,
}

/** The values of the PriorityClasses that each cluster has. */
export const systemPriorities = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
} as const

/** The rank that a PriorityClass gives to a Pod. */
export interface Rank {
  readonly priorityClassName?: string
  readonly priority: number
  readonly preemptionPolicy: string
}

/** The rank of a Pod without a class. */
const unranked: Rank = { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }

/** The classes in the store that Pods can name. */
export class PodClasses {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The rank that the class of a name gives. Without a name: that of the default class. `undefined`: there is no such class. */
  rank(name: string): Rank | undefined {
    if (name === '') return this.#defaultRank()
    const found = this.#store.collection(priorities).get(objectKey('', name))
    if (found !== undefined) return rankOf(name, materialise(found, 'scheduling.k8s.io/v1', 'PriorityClass'))
    // Each cluster has them. A server without the objects of a cluster knows them too.
    const value = own(systemPriorities, name)
    return value === undefined ? undefined : rankOf(name, { value })
  }

  /** The RuntimeClass of a name. */
  runtime(name: string): JsonObject | undefined {
    const found = this.#store.collection(runtimes).get(objectKey('', name))
    return found && materialise(found, 'node.k8s.io/v1', 'RuntimeClass')
  }

  /** If several classes are the default, a real server takes the class with the lowest value. */
  #defaultRank(): Rank {
    const ranks = this.#store
      .collection(priorities)
      .snapshot('')
      .filter(({ text }) => text.includes('"globalDefault":true'))
      .map(version => rankOf(version.name, materialise(version, 'scheduling.k8s.io/v1', 'PriorityClass')))
    return ranks.sort((a, b) => a.priority - b.priority)[0] ?? unranked
  }
}

function rankOf(priorityClassName: string, of: JsonObject): Rank {
  const preemptionPolicy = stringAt(of, 'preemptionPolicy') ?? unranked.preemptionPolicy
  return { priorityClassName, priority: Number(own(of, 'value') ?? 0), preemptionPolicy }
}
