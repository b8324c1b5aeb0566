import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'

/** How long this process could not answer, in milliseconds. */
export interface Pauses {
  /** Longest delay of the event loop, garbage collection included. */
  readonly stall_ms: number
  /** Longest garbage collection pause. */
  readonly gc_ms: number
}

/** A watch on pauses that was begun. */
export interface PauseWatch {
  /** How often the loop's delay was taken: nothing that comes before the first is seen. */
  samples(): number
  /** Ends it and gives what there was until now. */
  stop(): Promise<Pauses>
}

/** Starts to watch the event loop's delay and the collector. */
export function watchPauses(): PauseWatch {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const collections = observeCollections()
  delay.enable()
  return {
    samples: () => delay.count,
    async stop() {
      delay.disable()
      const all = await collections.stop()
      // The histogram counts the timer's own millisecond too.
      const stall = Number.isFinite(delay.max) ? delay.max / 1e6 - 1 : 0
      return { stall_ms: Math.max(0, stall), gc_ms: Math.max(0, ...all.map(each => each.duration)) }
    },
  }
}

/**
 * Times each turn of the event loop, by a callback that never lets it rest; the function gives the longest
 * one, less the garbage collections within it, and ends it. That is no less than the longest uninterrupted run of our own
 * code, since a turn holds one or more callbacks. The loop spins meanwhile: take other measurements in another run.
 */
export function watchSlices(): () => Promise<{ readonly slice_ms: number; readonly gc_ms: number }> {
  const collections = observeCollections()
  const longest: { from: number; till: number }[] = []
  let bound = 0
  let from = performance.now()
  let handle = setImmediate(function turn() {
    const till = performance.now()
    if (till - from > bound) {
      longest.push({ from, till })
      if (longest.length > 256) {
        longest.sort((a, b) => b.till - b.from - (a.till - a.from))
        longest.length = 128
        const last = longest[127]
        if (last) bound = last.till - last.from
      }
    }
    from = performance.now()
    handle = setImmediate(turn)
  })
  return async () => {
    clearImmediate(handle)
    const all = await collections.stop()
    const own = longest.map(({ from, till }) => {
      let ms = till - from
      for (const { startTime, duration } of all) {
        ms -= Math.max(0, Math.min(till, startTime + duration) - Math.max(from, startTime))
      }
      return ms
    })
    return { slice_ms: Math.max(0, ...own), gc_ms: Math.max(0, ...all.map(each => each.duration)) }
  }
}

interface Collection {
  readonly startTime: number
  readonly duration: number
}

function observeCollections(): { stop(): Promise<readonly Collection[]> } {
  const all: Collection[] = []
  const observer = new PerformanceObserver(list => all.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  return {
    async stop() {
      // Entries are handed over in a later turn of the loop than the collection's own.
      await new Promise(resolve => setImmediate(resolve))
      all.push(...observer.takeRecords())
      observer.disconnect()
      return all
    },
  }
}
