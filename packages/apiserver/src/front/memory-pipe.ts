import type { Clock, Timer } from '../clock.ts'

/** The options of a pipe. */
export interface PipeOptions<F> {
  readonly clock: Clock
  /** The time that the next batch is under way, in milliseconds. */
  readonly latencyMs: () => number
  /** Divides a batch into the frames that arrive now and those that arrive later. */
  readonly divide?: ((frames: readonly F[]) => { readonly now: readonly F[]; readonly later: readonly F[] }) | undefined
  readonly arrive: (frame: F) => void
}

/**
 * One direction of a connection: frames arrive in the order in which they were sent. A frame that is sent while a batch is under way arrives with the batch, so
 * that there is never more than one timer.
 */
export class Pipe<F> {
  readonly #options: PipeOptions<F>
  #frames: F[] = []
  /** The number of frames of a batch that have arrived, while the batch arrives. */
  #arrived = 0
  #timer: Timer | undefined
  #stalled = false

  constructor(options: PipeOptions<F>) {
    this.#options = options
  }

  send(frame: F): void {
    this.#frames.push(frame)
    this.#schedule()
  }

  /** Stops the arrival of frames. They wait. */
  stall(): void {
    this.#stalled = true
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Ends a stall. */
  resume(): void {
    this.#stalled = false
    this.#schedule()
  }

  /** Takes out the frames that are under way. */
  take(): F[] {
    const frames = this.#frames.slice(this.#arrived)
    this.#frames = []
    this.#arrived = 0
    this.#timer?.cancel()
    this.#timer = undefined
    return frames
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#stalled || this.#frames.length === 0) return
    const { clock, latencyMs } = this.#options
    this.#timer = clock.timer(latencyMs(), () => {
      this.#timer = undefined
      this.#deliver()
    })
  }

  #deliver(): void {
    const { divide, arrive } = this.#options
    // Each frame stays here until it arrives, because its receiver may send more frames, stall the pipe or empty it.
    let batch = this.#frames
    let due = batch.length
    if (divide !== undefined) {
      const { now, later } = divide(batch)
      batch = [...now, ...later]
      due = now.length
      this.#frames = batch
    }
    while (this.#arrived < due && !this.#stalled && this.#frames === batch) arrive(batch[this.#arrived++] as F)
    if (this.#frames !== batch) return
    this.#frames = this.#arrived === batch.length ? [] : batch.slice(this.#arrived)
    this.#arrived = 0
    this.#schedule()
  }
}
