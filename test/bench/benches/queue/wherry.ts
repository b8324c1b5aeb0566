import { performance } from 'node:perf_hooks'
import { WorkQueue } from '@wherry/work-queue'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { collect } from '../../harness/memory.ts'

const WARM_UP_MS = 1000
const MEASURE_MS = 2000
/** So many operations between two looks at the clock. */
const BATCH = 1000
/** A prime: multiples of it, modulo a power of ten, come by every key. */
const STRIDE = 7919

/** The work queue as a controller uses it. */
export async function run({ options }: SubjectContext): Promise<Metrics> {
  const keys = options.keys as number
  const queue = new WorkQueue()
  const before = heldBytes()
  for (let i = 0; i < keys; i++) queue.add(keyOf(i))
  const bytes_per_key = (heldBytes() - before) / keys

  let duplicate = 0
  const duplicates = (): void => {
    for (let i = 0; i < BATCH; i++) {
      queue.add(keyOf(duplicate))
      duplicate = (duplicate + STRIDE) % keys
    }
  }
  let added = keys
  const cycles = async (): Promise<void> => {
    for (let i = 0; i < BATCH; i++) {
      // Of twice as many keys one half is pending: a key that is added now was done long ago.
      queue.add(keyOf(added++ % (2 * keys)))
      queue.done((await queue.take()) as string)
    }
  }
  const duplicate_adds_per_s = await perSecond(duplicates)
  const cycles_per_s = await perSecond(cycles)
  if (queue.size !== keys) throw new Error(`${queue.size} keys are pending, not ${keys}`)
  await queue.stop()
  return { cycles_per_s, duplicate_adds_per_s, bytes_per_key }
}

function keyOf(i: number): string {
  return `namespace-${i % 50}/object-${i}`
}

/** The bytes alive: on the heap of V8 and in array buffers outside of it. */
function heldBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function perSecond(batch: () => Promise<void> | void): Promise<number> {
  await batchesFor(WARM_UP_MS, batch)
  return batchesFor(MEASURE_MS, batch)
}

/** Batches for `ms` of wall time; how many operations in a second of this process's processor time, its collector's included. */
async function batchesFor(ms: number, batch: () => Promise<void> | void): Promise<number> {
  const begin = performance.now()
  const before = process.cpuUsage()
  let done = 0
  while (performance.now() - begin < ms) {
    await batch()
    done += BATCH
  }
  const { user, system } = process.cpuUsage(before)
  return done / ((user + system) / 1e6)
}
