import type { Store } from '@wherry/informer'
import { HeapEstimate } from '../memory/heap-estimate.ts'
import { internedUpTo, storeBytesPerObject } from '../memory/memory-report.ts'

/** The contents of the store of one view, and their cost. */
export interface ViewStats {
  /** The view's key. */
  readonly view: string
  /** The number of objects, including failed ones. */
  readonly objects: number
  /** The number of objects that could not be transformed in their newest state, even if an earlier value is still served. */
  readonly failed: number
  /** The received size of the stored objects, in bytes. */
  readonly receivedBytes: number
  /**
   * The estimated bytes on the heap: the store's own data for each object, and the view's values. A sample of up to 512
   * objects, evenly spread, is measured, and extrapolated by the received bytes; `memoryReport` measures all objects.
   */
  readonly keptBytes: number
  /** `keptBytes` for each received byte; 0 if nothing was received. */
  readonly ratio: number
  /** The share of `managedFields` in the received bytes, from 0 to 1; measured in a sample of the objects. */
  readonly managedFieldsShare: number
}

/** The maximum number of objects that are measured. */
const maxSample = 512

export function viewStats(store: Store<unknown>): ViewStats {
  const { objects, failed, receivedBytes, managedFieldsShare } = store.stats()
  const keptBytes = objects * storeBytesPerObject + valueBytes(store, objects)
  return {
    view: store.view.key,
    objects,
    failed,
    receivedBytes,
    keptBytes,
    ratio: receivedBytes === 0 ? 0 : keptBytes / receivedBytes,
    managedFieldsShare,
  }
}

/**
 * Estimates the bytes of all values by a linear regression of the kept bytes on the received bytes; the sum of these over all
 * values is known. The estimate is right if each object keeps the same number of bytes or the same fraction, and in most
 * cases in between.
 */
function valueBytes(store: Store<unknown>, objects: number): number {
  const step = Math.max(1, Math.ceil(objects / maxSample))
  const estimate = new HeapEstimate(internedUpTo)
  // Objects that could not be transformed have no value.
  let [values, valuesReceived] = [0, 0]
  let [count, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0]
  for (const { object, bytes } of store.entries()) {
    valuesReceived += bytes
    if (values++ % step !== 0) continue
    const kept = estimate.of(object)
    count++
    sumX += bytes
    sumY += kept
    sumXX += bytes * bytes
    sumXY += bytes * kept
  }
  if (count === 0) return 0
  if (step === 1) return sumY
  const spread = sumXX - (sumX * sumX) / count
  const slope = spread <= 0 ? 0 : Math.max(0, (sumXY - (sumX * sumY) / count) / spread)
  return Math.max(0, values * (sumY / count + slope * (valuesReceived / values - sumX / count)))
}
