import type { EscalationPhase } from './namespace-watch.ts'
import type { ViewEntries } from './view-entries.ts'

/** A summary of a narrow cache, for metrics and for people. */
export interface NarrowReport {
  /** Watched objects, including absent ones. */
  readonly entries: number
  /** How many entries have no subscriber and no waiting read. */
  readonly idle: number
  /** How many entries can't be watched at present: their reads ask the server. */
  readonly refused: number
  /** Watches that are open or being opened. */
  readonly streams: number
  /** Entries that wait to be opened or relisted. */
  readonly waiting: number
  readonly subscriptions: number
  readonly views: readonly ViewReport[]
  /** The views and namespaces in which entries share a watch of metadata. */
  readonly escalated: readonly EscalationReport[]
}

export interface ViewReport {
  /** The view's key. */
  readonly view: string
  readonly entries: number
  /** Objects that exist. */
  readonly objects: number
  /** Their size, in bytes as received. */
  readonly receivedBytes: number
  readonly subscriptions: number
  readonly cursors: number
}

export interface EscalationReport {
  /** The view's key. */
  readonly view: string
  /** `group/version/plural` */
  readonly resource: string
  /** `undefined`: all namespaces, or a cluster-scoped resource. */
  readonly namespace: string | undefined
  readonly phase: Exclude<EscalationPhase, 'single'>
  /** The number of entries in the namespace, or in all. */
  readonly entries: number
}

export function viewReport({ view, entries, store, subscriptions }: ViewEntries): ViewReport {
  const { objects, receivedBytes, cursors } = store.stats()
  return { view: view.key, entries: entries.size, objects, receivedBytes, subscriptions: subscriptions.size, cursors }
}

export function escalations(views: readonly ViewEntries[]): EscalationReport[] {
  return views.flatMap(({ view, resource, watches }) =>
    watches.flatMap(({ namespace, phase, entries }) =>
      phase === 'single' ? [] : [{ view: view.key, resource, namespace, phase, entries: entries.size }],
    ),
  )
}
