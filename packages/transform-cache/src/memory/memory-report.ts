import { OptionTypeError } from '@wherry/client'
import { checkOptions, having, integer, systemClock } from '@wherry/client/internal'
import type { SharedInformer } from '@wherry/informer'
import { HeapEstimate } from './heap-estimate.ts'
import { memoryText } from './memory-text.ts'

/** The memory of one object. */
export interface ObjectMemory {
  readonly key: string
  /** The estimated bytes, without the parts that the object shares with others. */
  readonly keptBytes: number
}

/** The contents and memory of the store of one view. */
export interface ViewMemory {
  /** The view's key. */
  readonly view: string
  readonly objects: number
  /** How many of these objects could not be transformed. */
  readonly failed: number
  /** The size of the stored objects, in bytes as received. */
  readonly receivedBytes: number
  /** Estimated bytes on the heap: the kept values, and the store's own data for each object. */
  readonly keptBytes: number
  /** `keptBytes` per received byte; 0 if nothing was received. */
  readonly ratio: number
  /** The objects with the most kept bytes, the largest first. */
  readonly largest: readonly ObjectMemory[]
  /** The part of the kept bytes that is `managedFields`: 0 except for full and exact views. */
  readonly managedFieldsBytes: number
  /** The fraction of the received bytes that is `managedFields`, kept or not, from 0 to 1; measured in a sample of the objects. */
  readonly managedFieldsShare: number
}

/** The contents and memory of several informers. `toString` gives a table for people. */
export interface MemoryReport {
  readonly views: readonly ViewMemory[]
  readonly receivedBytes: number
  readonly keptBytes: number
  toString(): string
}

/** The options of a report of memory. */
export interface MemoryReportOptions {
  /** How many of the largest objects are listed. @default 10 */
  readonly largest?: number | undefined
  /** The clock by which the report yields to the event loop. @default the system's */
  readonly clock?: { monotonic(): number; turn(): Promise<void> } | undefined
}

/** The store's own bytes for each object: key, entry and links. Measured. */
export const storeBytesPerObject = 220

/**
 * Reports the contents and memory of informers, by a walk over all their objects in slices of some milliseconds. The kept bytes are estimated from
 * V8's layout of JSON, to within 25 % of the heap; an object that two views share is counted in both.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { Informer } from '@wherry/informer'
 * import { memoryReport } from '@wherry/transform-cache'
 *
 * const informer = new Informer({ client: await Client.connect(), view: pods })
 * informer.start()
 * await informer.whenSynced()
 * const report = await memoryReport(informer, { largest: 5 })
 * console.log(report.keptBytes, report.views[0]?.largest)
 * console.log(`${report}`) // the same as a table
 * ```
 */
export async function memoryReport(
  informers: SharedInformer<unknown> | Iterable<SharedInformer<unknown>>,
  options: MemoryReportOptions = {},
): Promise<MemoryReport> {
  checkOptions('memoryReport', options, { largest: integer(0), clock: having('a Clock', 'monotonic', 'turn') })
  const { largest = 10, clock = systemClock() } = options
  const all = isIterable(informers) ? [...informers] : [informers]
  const views: ViewMemory[] = []
  for (const informer of all) views.push(await measured(informer, largest, clock))
  const sum = (field: 'receivedBytes' | 'keptBytes'): number => views.reduce((total, view) => total + view[field], 0)
  const report = { views, receivedBytes: sum('receivedBytes'), keptBytes: sum('keptBytes') }
  return Object.defineProperty(report, 'toString', { value: () => memoryText(report) })
}

/** The length of a slice of the report's work, in milliseconds. */
const sliceMs = 5

async function measured(
  informer: SharedInformer<unknown>,
  count: number,
  clock: { monotonic(): number; turn(): Promise<void> },
): Promise<ViewMemory> {
  const estimate = new HeapEstimate(internedUpTo)
  let largest: ObjectMemory[] = []
  let keptBytes = 0
  let managedFieldsBytes = 0
  let sliceEnd = clock.monotonic() + sliceMs
  let walked = 0
  for (const key of [...informer.keys()]) {
    const object = valueAt(informer, key)
    // The object was deleted while others were measured.
    if (object === undefined && informer.version(key) === undefined) continue
    const sharedBefore = estimate.sharedBytes
    const all = storeBytesPerObject + estimate.of(object)
    keptBytes += all
    // Shared parts do not count, even if this object was the first with them.
    const bytes = all - (estimate.sharedBytes - sharedBefore)
    managedFieldsBytes += estimate.of(managedFieldsOf(object))
    largest.push({ key, keptBytes: bytes })
    if (largest.length > 64 + 2 * count) largest = top(largest, count)
    walked += 1
    if (walked % 64 === 0 && clock.monotonic() >= sliceEnd) {
      await clock.turn()
      sliceEnd = clock.monotonic() + sliceMs
    }
  }
  const { receivedBytes, failed, managedFieldsShare } = informer.stats()
  return {
    view: informer.view.key,
    objects: walked,
    failed,
    receivedBytes,
    keptBytes,
    ratio: receivedBytes === 0 ? 0 : keptBytes / receivedBytes,
    largest: top(largest, count),
    managedFieldsBytes,
    managedFieldsShare,
  }
}

/** The maximum length of texts below a key that the store holds once. For annotations it is shorter. */
export function internedUpTo(key: string, depth: number): number {
  if (depth === 1 && key === 'annotations') return 64
  const keys = ['apiVersion kind', 'namespace labels'][depth] ?? 'manager'
  return keys.split(' ').includes(key) ? Number.POSITIVE_INFINITY : 0
}

function valueAt(informer: SharedInformer<unknown>, key: string): unknown {
  try {
    return informer.get(key)
  } catch {
    return undefined
  }
}

function managedFieldsOf(object: unknown): unknown {
  return (object as { metadata?: { managedFields?: unknown } } | null | undefined)?.metadata?.managedFields
}

function top(objects: readonly ObjectMemory[], count: number): ObjectMemory[] {
  return objects.toSorted((a, b) => b.keptBytes - a.keptBytes || (a.key < b.key ? -1 : 1)).slice(0, count)
}

function isIterable(
  value: SharedInformer<unknown> | Iterable<SharedInformer<unknown>>,
): value is Iterable<SharedInformer<unknown>> {
  if (value === null || typeof value !== 'object') {
    throw new OptionTypeError('memoryReport', 'an informer, or several', typeof value)
  }
  return Symbol.iterator in value
}
