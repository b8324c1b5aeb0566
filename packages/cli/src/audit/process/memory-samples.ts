import { listProcesses, rssOf } from './process-tree.ts'

/** The memory of a command at a time, and the bytes that it had received until then. */
export interface MemorySample {
  /** The time since the start of the command, in seconds with three decimals. */
  readonly second: number
  readonly rssBytes: number
  /** Bytes of all bodies since the start, unpacked. */
  readonly receivedBytes: number
}

/** The maximum number of samples that are kept. A longer run drops every second sample, as often as needed. */
const mostSamples = 1_000

/** The times between the first samples, in milliseconds. A command may end within a second. */
const firstWaitsMs = [100, 200, 300, 400]
const waitMs = 1_000

/** Reads the memory of a command and its children: five times in the first second, then once a second, and more rarely in a long run. */
export class MemorySamples implements AsyncDisposable {
  readonly #pid: number
  readonly #now: () => number
  readonly #receivedBytes: () => number
  readonly #startMs: number
  #timer: NodeJS.Timeout | undefined
  #samples: MemorySample[] = []
  #every = 1
  #ticks = 0
  #reading: Promise<void>

  /**
   * @param now a clock in milliseconds
   * @param receivedBytes returns the bytes that the command has received since the start
   */
  constructor(pid: number, now: () => number, receivedBytes: () => number) {
    this.#pid = pid
    this.#now = now
    this.#receivedBytes = receivedBytes
    this.#startMs = now()
    this.#reading = this.#read()
    this.#wait(firstWaitsMs)
  }

  #wait([nextMs = waitMs, ...others]: readonly number[]): void {
    this.#timer = setTimeout(() => {
      this.#ticks++
      if (this.#ticks % this.#every === 0) this.#reading = this.#reading.then(() => this.#read())
      this.#wait(others)
    }, nextMs)
  }

  /** Reads the memory now. */
  async now(): Promise<MemorySample> {
    this.#reading = this.#reading.then(() => this.#read())
    await this.#reading
    return this.#samples.at(-1) ?? { second: 0, rssBytes: 0, receivedBytes: 0 }
  }

  /** The maximum memory since a sample, including that sample, in bytes. */
  mostSince({ second, rssBytes }: MemorySample): number {
    return this.#samples
      .filter(one => one.second > second)
      .reduce((most, one) => Math.max(most, one.rssBytes), rssBytes)
  }

  /** Stops, and resolves with all samples. */
  async stop(): Promise<readonly MemorySample[]> {
    clearTimeout(this.#timer)
    await this.#reading
    return this.#samples
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #read(): Promise<void> {
    const rssBytes = await listProcesses().then(
      all => rssOf(this.#pid, all),
      () => 0,
    )
    // The command has ended, or the system does not show its memory.
    if (rssBytes === 0) return
    const second = Math.round(this.#now() - this.#startMs) / 1_000
    this.#samples.push({ second, rssBytes, receivedBytes: this.#receivedBytes() })
    if (this.#samples.length <= mostSamples) return
    this.#samples = this.#samples.filter((_, at) => at % 2 === 0)
    this.#every *= 2
  }
}
