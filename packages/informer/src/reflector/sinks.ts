import type { Clock } from '@wherry/client'
import type { ChangeType } from '@wherry/client/internal'
import type { Intake, Replacement, ReplaceOptions } from '../store/intake.ts'

/** What a joining intake is filled from: objects as decoded, and how long each was. */
export type FillSource = Iterable<{ readonly object: object; readonly bytes: number }>

/** How many objects are filled in before the event loop is given back. */
const sliceObjects = 256

const none: readonly never[] = []

/** What the intakes of a reflector are kept with. */
export interface SinksParts {
  readonly clock: Clock
  /** Of the present state; `undefined` where there is none. */
  readonly resourceVersion: string | undefined
  /** Hears why an intake could not be filled: it waits for a whole state then, as a new one does. */
  backfillFailed(error: unknown): void
}

/**
 * The intakes of a reflector. All that it reads goes to each; one that throws keeps nothing from the others.
 */
export class Sinks {
  readonly #parts: SinksParts
  /** Replaced, never changed: an intake's handlers may add and remove intakes while it is gone through. */
  #intakes: readonly Intake[] = none
  #pending: PendingReplace | undefined
  #backfills: readonly Backfill[] = none

  constructor(parts: SinksParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#intakes.length + this.#backfills.length
  }

  add(intake: Intake): void {
    // No longer than needed: most reflectors of single objects have one intake.
    this.#intakes = this.#intakes.concat(intake)
  }

  /** Joins an intake while changes go on: filled in slices, with those changes, and with the others when that is done. */
  backfill(intake: Intake, source: () => FillSource): void {
    const backfill = new Backfill(intake, source, this.#parts, () => {
      this.#backfills = this.#backfills.filter(other => other !== backfill)
      this.add(intake)
    })
    this.#backfills = [...this.#backfills, backfill]
    // Where a state is being read, or yet to be read, its commit begins it.
    if (this.#pending === undefined && this.#parts.resourceVersion !== undefined) backfill.begin()
  }

  remove(intake: Intake): void {
    this.#pending?.leave(intake)
    this.#intakes = this.#intakes.filter(other => other !== intake)
    for (const backfill of this.#backfills) if (backfill.intake === intake) backfill.drop()
    this.#backfills = this.#backfills.filter(backfill => backfill.intake !== intake)
  }

  has(intake: Intake): boolean {
    return this.#intakes.includes(intake) || this.#backfills.some(backfill => backfill.intake === intake)
  }

  /** Begins to read a whole state. Who was still being filled takes part in it instead. */
  replace(options?: ReplaceOptions): PendingReplace {
    this.#pending?.drop()
    this.#endBackfills()
    const over = (): void => {
      if (this.#pending === pending) this.#pending = undefined
    }
    const pending: PendingReplace = new PendingReplace(this.#intakes, over, options)
    this.#pending = pending
    return pending
  }

  /** Begins the backfills that waited for a state to be read. */
  resume(): void {
    for (const backfill of this.#backfills) backfill.begin()
  }

  /** The stream has come this far. */
  progress(resourceVersion: string): void {
    each(this.#intakes, intake => intake.progress(resourceVersion))
  }

  change(type: ChangeType, object: object, bytes: number): void {
    const intakes = this.#intakes
    const only = intakes.length === 1 && this.#backfills.length === 0 ? intakes[0] : undefined
    if (only !== undefined) return only.change(type, object, bytes)
    // Mostly none is being filled, and nothing is made for each change.
    const all: readonly (Backfill | Intake)[] =
      this.#backfills.length === 0 ? intakes : [...this.#backfills, ...intakes]
    each(all, one => {
      if (one instanceof Backfill || this.#intakes.includes(one)) one.change(type, object, bytes)
    })
  }

  /** The resource is gone: so is what came of it (rule D8). Who was being filled starts anew with the rest. */
  clear(): void {
    this.#endBackfills()
    each(this.#intakes, intake => {
      if (intake.synced) intake.clear()
    })
  }

  /** Nothing more is written: what is being read is dropped. */
  end(): void {
    this.#pending?.drop()
    this.#endBackfills()
    this.#intakes = none
  }

  /** Intakes that were being filled wait for a whole state with the others. */
  #endBackfills(): void {
    for (const backfill of this.#backfills) {
      backfill.drop()
      this.add(backfill.intake)
    }
    this.#backfills = none
  }
}

interface Part {
  readonly intake: Intake
  readonly replacement: Replacement
}

/** One whole state, on its way into all intakes. Nothing of it is seen before `commit`. */
export class PendingReplace {
  #parts: readonly Part[]
  readonly #over: () => void
  /** What the first intake threw that takes no part any more. */
  #failure: { readonly error: unknown } | undefined
  /** Objects put in. */
  count = 0

  constructor(intakes: readonly Intake[], over: () => void, options?: ReplaceOptions) {
    const parts: Part[] = []
    for (const intake of intakes) {
      try {
        parts.push({ intake, replacement: intake.replace(options) })
      } catch (error) {
        this.#failure ??= { error }
      }
    }
    this.#parts = parts
    this.#over = over
  }

  put(object: object, bytes: number): void {
    this.count += 1
    this.#give(object, bytes)
  }

  remove(object: object): void {
    this.#give(object, undefined)
  }

  /** An intake that throws has not all of the state: it takes no part any more, and that is told when the others have theirs. */
  #give(object: object, bytes: number | undefined): void {
    for (const { intake, replacement } of this.#parts) {
      try {
        if (bytes === undefined) replacement.remove(object)
        else replacement.put(object, bytes)
      } catch (error) {
        this.#failure ??= { error }
        this.leave(intake)
      }
    }
  }

  /** Leaves one intake out from now on. */
  leave(intake: Intake): void {
    for (const part of this.#parts) if (part.intake === intake) part.replacement.drop()
    this.#parts = this.#parts.filter(part => part.intake !== intake)
  }

  commit(resourceVersion: string): void {
    try {
      // A handler may remove intakes, or stop it all.
      each(this.#parts, part => {
        if (this.#parts.includes(part)) part.replacement.commit(resourceVersion)
      })
    } finally {
      this.#parts = []
      this.#over()
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  drop(): void {
    this.#over()
    for (const { replacement } of this.#parts) replacement.drop()
    this.#parts = []
  }
}

/** One intake that joins a reflector that has its state already. */
class Backfill {
  readonly intake: Intake
  readonly #source: () => FillSource
  readonly #parts: SinksParts
  readonly #done: () => void
  /** What changed since the backfill began: newer than anything that the source may still give. */
  readonly #changed = new Set<string>()
  #replacement: Replacement | undefined

  constructor(intake: Intake, source: () => FillSource, parts: SinksParts, done: () => void) {
    this.intake = intake
    this.#source = source
    this.#parts = parts
    this.#done = done
  }

  begin(): void {
    if (this.#replacement !== undefined) return
    const replacement = this.intake.replace()
    this.#replacement = replacement
    this.#run(replacement).catch(error => {
      if (this.#replacement === replacement) {
        this.drop()
        this.#done()
      }
      this.#parts.backfillFailed(error)
    })
  }

  async #run(replacement: Replacement): Promise<void> {
    let left = sliceObjects
    await this.#parts.clock.turn()
    if (this.#replacement !== replacement) return
    for (const { object, bytes } of this.#source()) {
      if (!this.#changed.has(keyOf(object))) replacement.put(object, bytes)
      left -= 1
      if (left > 0) continue
      left = sliceObjects
      await this.#parts.clock.turn()
      if (this.#replacement !== replacement) return
    }
    this.#replacement = undefined
    this.#done()
    replacement.commit(this.#parts.resourceVersion)
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (this.#replacement === undefined) return
    this.#changed.add(keyOf(object))
    if (type === 'DELETED') this.#replacement.remove(object)
    else this.#replacement.put(object, bytes)
  }

  drop(): void {
    this.#replacement?.drop()
    this.#replacement = undefined
  }
}

/** `namespace/name`, by which a server orders what it lists. */
export function keyOf(object: object): string {
  const { metadata } = object as { metadata?: { name?: string; namespace?: string } }
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

/** Calls `call` with each, all of them, and throws what the first that threw did. */
function each<T>(all: readonly T[], call: (one: T) => void): void {
  let failure: { readonly error: unknown } | undefined
  for (const one of all) {
    try {
      call(one)
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure !== undefined) throw failure.error
}
