import type { ChangeType, Clock } from '@wherry/client'
import type { Intake, Replacement, ReplaceOptions } from '../store/intake.ts'

/** What a joining intake is filled from: objects as decoded, and how long each was. */
export type FillSource = Iterable<{ readonly object: object; readonly bytes: number }>

/** How many objects are filled in before the event loop is given back. */
const sliceObjects = 256

const none: readonly never[] = []

/** What the intakes of a reflector are kept with. */
export interface MembersParts {
  readonly clock: Clock
  /** Of the present state; `undefined` where there is none. */
  readonly resourceVersion: string | undefined
  /** Hears why an intake could not be filled: it is a member that waits for a whole state then. */
  fillFailed(error: unknown): void
}

/**
 * The intakes of a reflector. All that it reads goes to each; one that throws keeps nothing from the others.
 */
export class Members {
  readonly #parts: MembersParts
  /** Replaced, never changed: an intake's handlers may add and remove intakes while it is gone through. */
  #intakes: readonly Intake[] = none
  #reading: Reading | undefined
  #fills: readonly Fill[] = none

  constructor(parts: MembersParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#intakes.length + this.#fills.length
  }

  add(intake: Intake): void {
    // No longer than needed: most reflectors of single objects have one intake.
    this.#intakes = this.#intakes.concat(intake)
  }

  /** Joins an intake while changes go on: filled in slices, with those changes, and a full member when that is done. */
  fill(intake: Intake, source: () => FillSource): void {
    const fill = new Fill(intake, source, this.#parts, () => {
      this.#fills = this.#fills.filter(other => other !== fill)
      this.add(intake)
    })
    this.#fills = [...this.#fills, fill]
    // Where a state is being read, or yet to be read, its commit begins it.
    if (this.#reading === undefined && this.#parts.resourceVersion !== undefined) fill.begin()
  }

  remove(intake: Intake): void {
    this.#reading?.leave(intake)
    this.#intakes = this.#intakes.filter(other => other !== intake)
    for (const fill of this.#fills) if (fill.intake === intake) fill.drop()
    this.#fills = this.#fills.filter(fill => fill.intake !== intake)
  }

  has(intake: Intake): boolean {
    return this.#intakes.includes(intake) || this.#fills.some(fill => fill.intake === intake)
  }

  /** Begins to read a whole state. Who was still being filled takes part in it instead. */
  replace(options?: ReplaceOptions): Reading {
    this.#reading?.drop()
    this.#endFills()
    const over = (): void => {
      if (this.#reading === reading) this.#reading = undefined
    }
    const reading: Reading = new Reading(this.#intakes, over, options)
    this.#reading = reading
    return reading
  }

  /** Begins the fills that waited for a state to be read. */
  resume(): void {
    for (const fill of this.#fills) fill.begin()
  }

  /** The stream has come this far. */
  progress(resourceVersion: string): void {
    each(this.#intakes, intake => intake.progress(resourceVersion))
  }

  change(type: ChangeType, object: object, bytes: number): void {
    const intakes = this.#intakes
    const only = intakes.length === 1 && this.#fills.length === 0 ? intakes[0] : undefined
    if (only !== undefined) only.change(type, object, bytes)
    else this.#changeAll(intakes, type, object, bytes)
  }

  #changeAll(intakes: readonly Intake[], type: ChangeType, object: object, bytes: number): void {
    // Mostly none is being filled, and nothing is made for each change.
    const all: readonly (Fill | Intake)[] = this.#fills.length === 0 ? intakes : [...this.#fills, ...intakes]
    each(all, one => {
      if (one instanceof Fill || this.#intakes.includes(one)) one.change(type, object, bytes)
    })
  }

  /** The resource is gone: so is what came of it (rule D8). Who was being filled starts anew with the rest. */
  clear(): void {
    this.#endFills()
    each(this.#intakes, intake => {
      if (intake.synced) intake.clear()
    })
  }

  /** Nothing more is written: what is being read is dropped. */
  end(): void {
    this.#reading?.drop()
    this.#endFills()
    this.#intakes = none
  }

  /** Who was being filled is a member that waits for a whole state. */
  #endFills(): void {
    for (const fill of this.#fills) {
      fill.drop()
      this.add(fill.intake)
    }
    this.#fills = none
  }
}

interface Part {
  readonly intake: Intake
  readonly replacement: Replacement
}

/** One whole state, on its way into all intakes. Nothing of it is seen before `commit`. */
export class Reading {
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
    for (const part of this.#parts) {
      try {
        part.replacement.put(object, bytes)
      } catch (error) {
        this.#failed(part, error)
      }
    }
  }

  remove(object: object): void {
    for (const part of this.#parts) {
      try {
        part.replacement.remove(object)
      } catch (error) {
        this.#failed(part, error)
      }
    }
  }

  /** One that throws has not all of the state: it takes no part any more, and that is told when the others have theirs. */
  #failed({ intake }: Part, error: unknown): void {
    this.#failure ??= { error }
    this.leave(intake)
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
class Fill {
  readonly intake: Intake
  readonly #source: () => FillSource
  readonly #parts: MembersParts
  readonly #done: () => void
  /** What changed since the fill began: newer than anything that the source may still give. */
  readonly #changed = new Set<string>()
  #replacement: Replacement | undefined

  constructor(intake: Intake, source: () => FillSource, parts: MembersParts, done: () => void) {
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
      this.#parts.fillFailed(error)
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
