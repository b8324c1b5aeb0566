import type { Clock } from '@wherry/client'
import type { Source, SourceConnection, SourceTarget } from '@wherry/controller'

export interface ChangesOptions {
  /** How long after the first change of an object the templates run that read it, in milliseconds. */
  readonly delayMs: number
  /** How often `look` is called while a controller is connected, in milliseconds. */
  readonly everyMs: number
  /** Looks for changes that no event reports. */
  look(): void
}

/**
 * Makes templates run again when something has changed that they read. Objects change often: for these they run a moment after the first
 * change, and not for each.
 */
export class Changes implements Source<{ name: string }> {
  readonly name = 'objects'
  readonly #clock: Clock
  readonly #options: ChangesOptions
  /** The kinds that each template reads. */
  readonly #reads = new Map<string, ReadonlySet<string>>()
  readonly #changed = new Set<string>()
  #timer: ReturnType<Clock['timer']> | undefined
  #looking: ReturnType<Clock['timer']> | undefined
  #target: SourceTarget<{ name: string }> | undefined

  constructor(clock: Clock, options: ChangesOptions) {
    this.#clock = clock
    this.#options = options
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
    this.#timer ??= this.#clock.timer(this.#options.delayMs, () => this.#reportChanged())
  }

  /** The constraints of a kind are there: their templates run at once, since nobody watches before what they match. */
  ready(kind: string): void {
    this.#report([kind])
  }

  /** The event is the key. */
  defaultKeys(key: unknown): { name: string } {
    return key as { name: string }
  }

  connect(target: SourceTarget<{ name: string }>): SourceConnection {
    this.#target = target
    this.#lookLater()
    return {
      synced: async () => {},
      close: async () => {
        this.#target = undefined
        this.#timer?.cancel()
        this.#timer = undefined
        this.#changed.clear()
        this.#looking?.cancel()
      },
    }
  }

  #lookLater(): void {
    this.#looking = this.#clock.timer(this.#options.everyMs, () => {
      this.#lookLater()
      this.#options.look()
    })
  }

  #reportChanged(): void {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    this.#report(changed)
  }

  #report(changed: readonly string[]): void {
    for (const [name, kinds] of this.#reads) {
      if (changed.some(kind => kinds.has(kind))) this.#target?.tell({ name })
    }
  }
}
