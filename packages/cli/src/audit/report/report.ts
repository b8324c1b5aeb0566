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
  /** Different ones among them. */
  readonly distinct: number
  /** Different ones that the program read or wrote by name. */
  readonly used: number
  /** Bytes of the bodies, unpacked. */
  readonly bytes: number
  /** Bytes as they were sent. */
  readonly wireBytes: number
  /** What each different object takes once, as it was last received. */
  readonly onceBytes: number
  readonly relists: Readonly<Partial<Record<RelistReason, number>>>
}

/** Requests for single objects of a resource. */
export interface ByNameReport extends Readonly<ByName> {
  /** `games.arcade.example.com`, or `games.arcade.example.com/status`. */
  readonly resource: string
  readonly getsPerMinute: number
}

/** What a program asked of an API server. */
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
  /** Undefined if the run was shorter than that. */
  readonly rest: RestReport | undefined
  /** Discovery, schemas, health. */
  readonly others: { readonly requests: number; readonly bytes: number }
  readonly memory: readonly MemorySample[]
  /** Undefined if no game was played. */
  readonly game?: GameReport | undefined
}

/** What a program asked for in the last seconds. */
export interface RestReport {
  readonly seconds: number
  readonly requests: readonly { readonly request: string; readonly times: number }[]
}

/** What besides the ledger is in a report. */
export interface Measured {
  readonly seconds: number
  readonly rest: RestReport | undefined
  readonly memory: readonly MemorySample[]
  readonly game?: GameReport | undefined
}

/** Makes the report of a run. Everything is in the order of the names, so that two reports can be compared. */
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
          const usedHere = [...one.keys()].filter(key => used.has(key)).length
          return {
            ...{ resource: name, namespace, selector, lists, furtherPages, watches, objects, distinct, used: usedHere },
            ...{ bytes, wireBytes, onceBytes, relists: Object.fromEntries(one.relists) },
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
