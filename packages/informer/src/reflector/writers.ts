import type { ChangeType, Clock } from '@wherry/client'
import type { ReplaceOptions, Snapshot, StoreWriter } from '../store/store-writer.ts'

/** The objects that a joining writer is filled with, as decoded, and the size of each in bytes as received. */
export type FillSource = Iterable<{ readonly object: object; readonly bytes: number }>

/** How many objects are filled in before the backfill yields to the event loop. */
const sliceObjects = 256

const none: readonly never[] = []

/** The parts of a reflector that its writers need. */
export interface WritersParts {
  readonly clock: Clock
  /** The resourceVersion of the present state; `undefined` if there is no state. */
  readonly resourceVersion: string | undefined
  /** Receives the error of a writer that could not be filled. The writer waits for the next list, as a new writer does. */
  backfillFailed(error: unknown): void
}

/** The writers of a reflector. Everything that the reflector reads goes to each writer; if one throws, the others still get it. */
export class Writers {
  readonly #parts: WritersParts
  /** Replaced, never changed: a handler may add and remove writers while the list is iterated. */
  #writers: readonly StoreWriter[] = none
  #pending: SnapshotFanOut | undefined
  #backfills: readonly Backfill[] = none

  constructor(parts: WritersParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#writers.length + this.#backfills.length
  }

  add(writer: StoreWriter): void {
    // `concat` makes an array of exactly this length: most reflectors of single objects have one writer.
    this.#writers = this.#writers.concat(writer)
  }

  /** Adds a writer while changes go on. It is filled in slices and receives the changes meanwhile. */
  backfill(writer: StoreWriter, source: () => FillSource): void {
    const backfill = new Backfill(writer, source, this.#parts, () => {
      this.#backfills = this.#backfills.filter(other => other !== backfill)
      this.add(writer)
    })
    this.#backfills = [...this.#backfills, backfill]
    // While a list is under way, or before the first one, the writer waits: the backfill begins after the list's commit.
    if (this.#pending === undefined && this.#parts.resourceVersion !== undefined) backfill.begin()
  }

  remove(writer: StoreWriter): void {
    this.#pending?.leave(writer)
    this.#writers = this.#writers.filter(other => other !== writer)
    for (const backfill of this.#backfills) if (backfill.writer === writer) backfill.drop()
    this.#backfills = this.#backfills.filter(backfill => backfill.writer !== writer)
  }

  has(writer: StoreWriter): boolean {
    return this.#writers.includes(writer) || this.#backfills.some(backfill => backfill.writer === writer)
  }

  /** Begins a list. Writers that are still being filled receive it instead. */
  replace(options?: ReplaceOptions): SnapshotFanOut {
    this.#pending?.drop()
    this.#endBackfills()
    const over = (): void => {
      if (this.#pending === pending) this.#pending = undefined
    }
    const pending: SnapshotFanOut = new SnapshotFanOut(this.#writers, over, options)
    this.#pending = pending
    return pending
  }

  /** Begins the backfills that waited for a state to be read. */
  resume(): void {
    for (const backfill of this.#backfills) backfill.begin()
  }

  /** Records that the stream has reached a resourceVersion. */
  progress(resourceVersion: string): void {
    each(this.#writers, writer => writer.progress(resourceVersion))
  }

  change(type: ChangeType, object: object, bytes: number): void {
    const writers = this.#writers
    const only = writers.length === 1 && this.#backfills.length === 0 ? writers[0] : undefined
    if (only !== undefined) return only.change(type, object, bytes)
    // Usually no writer is being filled, so no array is made for the change.
    const all: readonly (Backfill | StoreWriter)[] =
      this.#backfills.length === 0 ? writers : [...this.#backfills, ...writers]
    each(all, one => {
      if (one instanceof Backfill || this.#writers.includes(one)) one.change(type, object, bytes)
    })
  }

  /** Removes all objects, because the resource is gone (rule D8). Writers that were being filled begin again with the others. */
  clear(): void {
    this.#endBackfills()
    each(this.#writers, writer => {
      if (writer.synced) writer.clear()
    })
  }

  /** Writes nothing more: the state that is being read is dropped. */
  end(): void {
    this.#pending?.drop()
    this.#endBackfills()
    this.#writers = none
  }

  /** Makes the writers that were being filled wait for the next list with the others. */
  #endBackfills(): void {
    for (const backfill of this.#backfills) {
      backfill.drop()
      this.add(backfill.writer)
    }
    this.#backfills = none
  }
}

interface Part {
  readonly writer: StoreWriter
  readonly snapshot: Snapshot
}

/** A list for all writers. Readers see nothing of it before `commit`. */
export class SnapshotFanOut {
  #parts: readonly Part[]
  readonly #over: () => void
  /** The error of the first writer that was left out. */
  #failure: { readonly error: unknown } | undefined
  /** The number of objects that were put in. */
  count = 0

  constructor(writers: readonly StoreWriter[], over: () => void, options?: ReplaceOptions) {
    const parts: Part[] = []
    for (const writer of writers) {
      try {
        parts.push({ writer, snapshot: writer.replace(options) })
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

  /** Passes an object to all writers. A writer that throws lacks an object, so it is left out. The error is reported after the other writers have the list. */
  #give(object: object, bytes: number | undefined): void {
    for (const { writer, snapshot } of this.#parts) {
      try {
        if (bytes === undefined) snapshot.remove(object)
        else snapshot.put(object, bytes)
      } catch (error) {
        this.#failure ??= { error }
        this.leave(writer)
      }
    }
  }

  /** Leaves a writer out from now on. */
  leave(writer: StoreWriter): void {
    for (const part of this.#parts) if (part.writer === writer) part.snapshot.drop()
    this.#parts = this.#parts.filter(part => part.writer !== writer)
  }

  commit(resourceVersion: string): void {
    try {
      // A handler may remove writers, or stop the reflector.
      each(this.#parts, part => {
        if (this.#parts.includes(part)) part.snapshot.commit(resourceVersion)
      })
    } finally {
      this.#parts = []
      this.#over()
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  drop(): void {
    this.#over()
    for (const { snapshot } of this.#parts) snapshot.drop()
    this.#parts = []
  }
}

/** Fills one writer that joins a reflector with a state. */
class Backfill {
  readonly writer: StoreWriter
  readonly #source: () => FillSource
  readonly #parts: WritersParts
  readonly #done: () => void
  /** The keys that changed since the backfill began: the source may still return older states of them. */
  readonly #changed = new Set<string>()
  #snapshot: Snapshot | undefined

  constructor(writer: StoreWriter, source: () => FillSource, parts: WritersParts, done: () => void) {
    this.writer = writer
    this.#source = source
    this.#parts = parts
    this.#done = done
  }

  begin(): void {
    if (this.#snapshot !== undefined) return
    const snapshot = this.writer.replace()
    this.#snapshot = snapshot
    this.#run(snapshot).catch(error => {
      if (this.#snapshot === snapshot) {
        this.drop()
        this.#done()
      }
      this.#parts.backfillFailed(error)
    })
  }

  async #run(snapshot: Snapshot): Promise<void> {
    let left = sliceObjects
    await this.#parts.clock.turn()
    if (this.#snapshot !== snapshot) return
    for (const { object, bytes } of this.#source()) {
      if (!this.#changed.has(keyOf(object))) snapshot.put(object, bytes)
      left -= 1
      if (left > 0) continue
      left = sliceObjects
      await this.#parts.clock.turn()
      if (this.#snapshot !== snapshot) return
    }
    this.#snapshot = undefined
    this.#done()
    snapshot.commit(this.#parts.resourceVersion)
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (this.#snapshot === undefined) return
    this.#changed.add(keyOf(object))
    if (type === 'DELETED') this.#snapshot.remove(object)
    else this.#snapshot.put(object, bytes)
  }

  drop(): void {
    this.#snapshot?.drop()
    this.#snapshot = undefined
  }
}

/** `namespace/name`: a server's lists have the order of these keys. */
export function keyOf(object: object): string {
  const { metadata } = object as { metadata?: { name?: string; namespace?: string } }
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

/** Calls `call` with each item, and then throws the first error. */
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
