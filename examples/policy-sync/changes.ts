import type { Clock, Timer } from '@wherry/client'
import type { Source, SourceConnection, SourceTarget } from '@wherry/controller'

/**
 * Makes templates run again when objects have changed that they read: not for each change, but a moment after the first.
 */
export class Changes implements Source<{ name: string }> {
  readonly name = 'objects'
  readonly #clock: Clock
  readonly #delayMs: number
  /** The kinds that each template reads. */
  readonly #reads = new Map<string, ReadonlySet<string>>()
  readonly #changed = new Set<string>()
  #timer: Timer | undefined
  #target: SourceTarget<{ name: string }> | undefined

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock
    this.#delayMs = delayMs
  }

  /** Says which kinds a template reads; none, once it is gone. */
  reads(template: string, kinds: Iterable<string>): void {
    const read = new Set(kinds)
    if (read.size > 0) this.#reads.set(template, read)
    else this.#reads.delete(template)
  }

  /** Objects of a kind have changed. */
  changed(kind: string): void {
    // A controller that starts later runs for all templates anyway.
    if (this.#target === undefined) return
    this.#changed.add(kind)
    this.#timer ??= this.#clock.timer(this.#delayMs, () => this.#tell())
  }

  /** What is told is the key. */
  defaultKeys(key: unknown): { name: string } {
    return key as { name: string }
  }

  connect(target: SourceTarget<{ name: string }>): SourceConnection {
    this.#target = target
    return {
      synced: async () => {},
      close: async () => {
        this.#target = undefined
        this.#timer?.cancel()
      },
    }
  }

  #tell(): void {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const [name, kinds] of this.#reads) {
      if (changed.some(kind => kinds.has(kind))) this.#target?.tell({ name })
    }
  }
}
