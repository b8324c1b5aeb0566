import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'

/** How long this process could not answer, in milliseconds. */
export interface Pauses {
  /** Longest delay of the event loop, garbage collection included. */
  readonly stall_ms: number
  /** Delay of the event loop that one turn in a thousand is beyond. */
  readonly delay_p999_ms: number
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
      const ms = (nanoseconds: number): number =>
        Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - 1) : 0
      const [stall_ms, delay_p999_ms] = [ms(delay.max), ms(delay.percentile(99.9))]
      return { stall_ms, delay_p999_ms, gc_ms: Math.max(0, ...all.map(each => each.duration)) }
    },
  }
}

/**
 * Times each turn of the event loop, by a callback that never lets it rest; the function gives the longest
 * one, and ends it. Garbage collections within a turn are taken off, and a turn counts for no more than the time this
 * thread had the processor. That is no less than the longest uninterrupted run of our own code, since a turn holds one or more
 * callbacks. The loop spins meanwhile: take other measurements in another run.
 */
export function watchSlices(): () => Promise<{ readonly slice_ms: number; readonly gc_ms: number }> {
  const collections = observeCollections()
  let turns: Turn[] = []
  let bound = 0
  let from = performance.now()
  let cpuFrom = threadCpuMs()
  const record = (): void => {
    const till = performance.now()
    const cpuTill = threadCpuMs()
    const turn: Turn = { from, till, most: Math.min(till - from, cpuTill - cpuFrom) }
    from = till
    cpuFrom = cpuTill
    if (turn.most <= bound) return
    turns.push(turn)
    if (turns.length < KEPT_TURNS * 2) return
    turns = turns.sort((a, b) => b.most - a.most).slice(0, KEPT_TURNS)
    bound = turns.at(-1)?.most ?? 0
  }
  let handle = setImmediate(function next() {
    record()
    handle = setImmediate(next)
  })
  return async () => {
    record()
    clearImmediate(handle)
    const all = await collections.stop()
    const own = turns.map(({ from, till, most }) => {
      let rest = till - from
      for (const { startTime, duration } of all) {
        rest -= Math.max(0, Math.min(till, startTime + duration) - Math.max(from, startTime))
      }
      return Math.min(rest, most)
    })
    return { slice_ms: Math.max(0, ...own), gc_ms: Math.max(0, ...all.map(each => each.duration)) }
  }
}

/** How many of the longest turns are looked at: more than collections could have made long. */
const KEPT_TURNS = 1024

interface Turn {
  readonly from: number
  readonly till: number
  readonly most: number
}

/** Milliseconds for which this thread has had the processor. Where Node does not say, the time of day. */
function threadCpuMs(): number {
  const usage = (
    process as { threadCpuUsage?(): { readonly user: number; readonly system: number } }
  ).threadCpuUsage?.()
  return usage ? (usage.user + usage.system) / 1000 : performance.now()
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
      for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
      all.push(...observer.takeRecords())
      observer.disconnect()
      return all
    },
  }
}
