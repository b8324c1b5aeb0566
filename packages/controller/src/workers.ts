import type { Clock } from '@wherry/client'
import type { WorkQueue } from '@wherry/work-queue'

/** How long workers go on before they yield to the event loop, in milliseconds, and for how many keys at most. */
const sliceMs = 5
const sliceMost = 64

/**
 * Takes keys from a queue until it is stopped, `concurrency` at a time. Between keys it yields to the event loop, so that a long
 * queue of short work does not delay other work.
 */
export async function work<K extends {}>(
  queue: WorkQueue<K>,
  concurrency: number,
  clock: Clock,
  run: (key: K) => Promise<void>,
): Promise<void> {
  let since = clock.monotonic()
  let count = 0
  const worker = async (): Promise<void> => {
    for (;;) {
      const key = queue.tryTake() ?? (await queue.take())
      if (key === undefined) return
      try {
        await run(key)
      } finally {
        queue.done(key)
      }
      if (++count < sliceMost && clock.monotonic() - since < sliceMs) continue
      await clock.turn()
      since = clock.monotonic()
      count = 0
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
