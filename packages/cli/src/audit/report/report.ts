import type { GameReport } from '../game/play.ts'
import type { RelistReason } from '../ledger/collection.ts'
import type { Ledger, Refusal } from '../ledger/ledger.ts'
import type { ByName } from '../ledger/resource-ledger.ts'
import type { MemorySample } from '../process/memory-samples.ts'
import { type Finding, findingsOf } from './findings.ts'

/** Lists and watches of a resource in a scope with a selector. */
export interface CollectionReport {
  readonly resource: string
  /** A namespace; empty for the whole cluster. */
  readonly namespace: string
  readonly selector: string
  readonly lists: number
  /** Pages after the first. */
  readonly furtherPages: number
  readonly watches: number
  /** Objects in lists and events. */
  readonly objects: number
  /** The number of different objects, including deleted ones. */
  readonly distinct: number
  /** The number of different objects that the program read or wrote by name, including deleted ones. */
  readonly used: number
  /** Bytes of the bodies, unpacked. */
  readonly bytes: number
  /** Bytes as they were sent, possibly compressed. */
  readonly wireBytes: number
  /** Bytes of the last received version of each different object. */
  readonly onceBytes: number
  readonly relists: Readonly<Partial<Record<RelistReason, number>>>
}

/** Requests for single objects of a resource. */
export interface ByNameReport extends Readonly<ByName> {
  /** `games.arcade.example.com`, or `games.arcade.example.com/status`. */
  readonly resource: string
  readonly getsPerMinute: number
}

/** The requests of a program to an API server, counted. */
export interface AuditReport {
  readonly seconds: number
  readonly findings: readonly Finding[]
  readonly collections: readonly CollectionReport[]
  readonly byName: readonly ByNameReport[]
  readonly patches: readonly {
    readonly resource: string
    readonly manager: string
    readonly type: string
    readonly times: number
    readonly unchanged: number
  }[]
  readonly refusals: readonly Readonly<Refusal>[]
  /** The requests at rest. Undefined if the run was shorter than the time of the rest. */
  readonly rest: RestReport | undefined
  /** Discovery, schemas, health. */
  readonly others: { readonly requests: number; readonly bytes: number }
  readonly memory: readonly MemorySample[]
  /** The report of the game. Undefined if no game was played. */
  readonly game?: GameReport | undefined
}

/** The requests of a program in the last seconds. */
export interface RestReport {
  readonly seconds: number
  readonly requests: readonly { readonly request: string; readonly times: number }[]
}

/** The parts of a report that are not from the ledger. */
export interface Measured {
  readonly seconds: number
  readonly rest: RestReport | undefined
  readonly memory: readonly MemorySample[]
  readonly game?: GameReport | undefined
}

/** Makes the report of a run. Collections and counts by name are sorted by name. Refusals stay in the order in which they came. */
export function reportOf(ledger: Ledger, { seconds, rest, memory, game }: Measured): AuditReport {
  const resources = [...ledger.resources.values()].sort((one, other) => compare(one.name, other.name))
  const report = {
    seconds,
    collections: resources.flatMap(({ name, collections, used }) =>
      [...collections.values()]
        .sort((one, other) => compare(one.namespace + one.selector, other.namespace + other.selector))
        .map(one => {
          const { namespace, selector, lists, furtherPages, watches, objects, distinct, bytes, wireBytes, onceBytes } =
            one
          return {
            ...{ resource: name, namespace, selector, lists, furtherPages, watches, objects, distinct },
            ...{ used: one.distinctOf(used), bytes, wireBytes, onceBytes, relists: Object.fromEntries(one.relists) },
          }
        }),
    ),
    byName: resources.flatMap(({ name, byName }) =>
      [...byName]
        .sort(([one], [other]) => compare(one, other))
        .map(([subresource, counts]) => ({
          resource: subresource === '' ? name : `${name}/${subresource}`,
          ...counts,
          getsPerMinute: seconds === 0 ? 0 : Math.round((counts.get * 600) / seconds) / 10,
        })),
    ),
    patches: resources.flatMap(({ name, patches }) =>
      [...patches.values()].map(patch => ({ resource: name, ...patch })),
    ),
    refusals: [...ledger.refusals.values()],
    rest,
    others: { ...ledger.others },
    memory,
    game,
  }
  return { ...report, findings: findingsOf(report) }
}

/** All bytes that a program received, unpacked. */
export function receivedBytesOf({ collections, byName, others }: AuditReport): number {
  return [...collections, ...byName, others].reduce((sum, { bytes }) => sum + bytes, 0)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
