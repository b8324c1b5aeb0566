import { compareResourceVersions } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import { type Identity, isSameState } from '../entries/identity.ts'
import type { Owner } from '../entries/owner.ts'
import type { TransformError } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { Registrations } from '../registrations/registrations.ts'
import type { Indices } from './indices.ts'

/** How far a key's deletion is known to go: what is older is not to be heard of any more. */
export interface Gone {
  readonly resourceVersion: string | undefined
  /** Nor what is of that very resourceVersion. */
  readonly isInclusive: boolean
}

export interface ContentsParts<C> {
  readonly journal: Journal<C>
  readonly indices: Indices<C>
  readonly registrations: Registrations<C>
  readonly onFailure: (error: TransformError) => void
}

/** What a store holds. Handlers hear of changes by {@link tell}, when entries, indices and journal are as they will be (rules R25, R26). */
export class Contents<C> {
  /** The earlier values that are kept of objects whose newest state could not be transformed, and why. */
  readonly stale: Map<Entry<C>, TransformError> = new Map<Entry<C>, TransformError>()
  /** Deletions, while they are being remembered for intakes that are staged. */
  gone: Map<string, Gone> | undefined
  bytes = 0
  /** How many entries have no value. */
  failed = 0
  transformFailures = 0
  readonly #parts: ContentsParts<C>
  #entries = new Map<string, Entry<C>>()
  #errors: TransformError[] = []

  constructor(parts: ContentsParts<C>) {
    this.#parts = parts
  }

  get entries(): ReadonlyMap<string, Entry<C>> {
    return this.#entries
  }

  /** What came by some intakes; it may be removed meanwhile. Unless they are of one key each, all is looked at: lists would cost memory. */
  *of(owners: Iterable<Owner<C>>): Iterable<Entry<C>> {
    const sought = new Set<Owner<C> | undefined>()
    let left = 0
    for (const owner of owners) {
      const only = owner.key === undefined ? undefined : this.#entries.get(owner.key)
      if (only?.owner === owner && owner.size === 1) yield only
      else if (owner.size > 0) {
        sought.add(owner)
        left += owner.size
      }
    }
    if (left === 0) return
    for (const entry of this.#entries.values()) {
      if (!sought.has(entry.owner)) continue
      yield entry
      if (--left === 0) return
    }
  }

  /** Takes the entries of a first list as they are. Only for contents that are empty. */
  adopt(entries: Map<string, Entry<C>>, owner: Owner<C>): void {
    this.#entries = entries
    const { journal, indices, registrations } = this.#parts
    const all = journal.bornTogether(entries.values(), entry => {
      owner.claim(entry)
      this.bytes += entry.bytes
      const { failure } = entry
      if (failure !== undefined) this.#fail(entry.key, failure)
      return failure === undefined
    })
    if (!indices.isEmpty) for (const entry of all) indices.put(entry)
    if (registrations.size > 0) for (const entry of all) registrations.added(entry.key, entry.born, entry.value as C)
  }

  /**
   * What was received of a key, with its owner. Nothing happens where it is known already, and where another open intake
   * has newer: two intakes are two sources (rule R13). `isNews`: it differs from what is held, though the resourceVersion is the same.
   */
  put(received: Entry<C>, owner: Owner<C>, isNews: boolean = false): void {
    const held = this.#entries.get(received.key)
    if (held === undefined) {
      this.#insert(received, owner)
      return
    }
    if (held.owner !== owner && held.owner?.isOpen && isOlder(received, held)) {
      return
    }
    if (held.uid !== received.uid) {
      this.gone?.set(held.key, goneWith(held, undefined))
      this.#remove(held, undefined)
      this.#insert(received, owner)
      return
    }
    owner.claim(held)
    if (isNews || !isSameState(held, received)) this.#update(held, received)
  }

  /**
   * An object is gone, or nobody watches it any more. Without `final` its last state was not seen.
   */
  remove(entry: Entry<C>, final?: Entry<C> | 'unwatched' | undefined): void {
    const { key } = entry
    const isUnheard = entry.failure !== undefined
    this.gone?.set(key, goneWith(entry, final))
    this.#remove(entry, final === 'unwatched' ? undefined : final)
    if (!isUnheard) return
    this.#parts.journal.unheard(key)
    this.#parts.registrations.untold(key)
  }

  #remove(entry: Entry<C>, final: Entry<C> | undefined): void {
    const { journal, registrations } = this.#parts
    this.#takeOut(entry)
    if (final?.failure !== undefined) this.#report(final.failure)
    // Of one without a value nobody has heard.
    if (entry.failure === undefined) {
      const isFinal = final !== undefined && final.uid === entry.uid
      const last = isFinal && final.failure === undefined ? final : entry
      const { key, born } = entry
      if (registrations.size > 0) {
        registrations.deleted({ key, born, object: last.value as C, finalStateUnknown: !isFinal })
      }
      journal.gone(entry, last, !isFinal, isFinal ? final.bytes : entry.bytes)
    }
  }

  /** An object is let go of without a word. */
  forget(entry: Entry<C>): void {
    this.#takeOut(entry)
    if (entry.failure === undefined) this.#parts.journal.forget(entry)
    else this.#parts.registrations.forget(entry.key)
  }

  /** Tells of all that was done, failures first. */
  tell(): void {
    const errors = this.#errors
    if (errors.length > 0) {
      this.#errors = []
      for (const error of errors) this.#parts.onFailure(error)
    }
    this.#parts.registrations.tell()
  }

  clear(): void {
    this.#entries = new Map()
    this.stale.clear()
    this.gone = undefined
    this.bytes = 0
    this.failed = 0
  }

  #insert(entry: Entry<C>, owner: Owner<C>): void {
    this.#entries.set(entry.key, entry)
    this.gone?.delete(entry.key)
    owner.claim(entry)
    this.bytes += entry.bytes
    const { failure } = entry
    if (failure === undefined) this.#appear(entry)
    else {
      this.#parts.journal.unborn(entry)
      this.#fail(entry.key, failure)
    }
  }

  #fail(key: string, error: TransformError): void {
    this.failed++
    this.#parts.registrations.untold(key)
    this.#report(error)
  }

  #appear(entry: Entry<C>): void {
    const { journal, indices, registrations } = this.#parts
    journal.born(entry)
    indices.put(entry)
    if (registrations.size > 0) registrations.added(entry.key, entry.born, entry.value as C)
  }

  #update(entry: Entry<C>, received: Entry<C>): void {
    const { registrations } = this.#parts
    const { failure } = received
    const hadFailed = entry.failure !== undefined
    this.bytes += received.bytes - entry.bytes
    entry.bytes = received.bytes
    entry.passTo(received)
    if (failure !== undefined) {
      if (hadFailed) entry.value = failure
      else this.stale.set(entry, failure)
      this.#report(failure)
      return
    }
    const old = entry.value as C
    entry.value = received.value
    if (hadFailed) {
      this.failed--
      this.#appear(entry)
      return
    }
    this.#valueChanged(entry)
    if (registrations.size > 0) registrations.updated(entry.key, entry.born, entry.value as C, old)
  }

  /** An object that has a value has another one, which handlers are called with before this returns, unless one of them has caused it. */
  modify(entry: Entry<C>, identity: Identity, value: C, bytes: number): void {
    const old = entry.value as C
    this.bytes += bytes - entry.bytes
    entry.bytes = bytes
    entry.passTo(identity)
    entry.value = value
    this.#valueChanged(entry)
    this.#parts.registrations.tellUpdate(entry.key, entry.born, value, old)
  }

  #valueChanged(entry: Entry<C>): void {
    if (this.stale.size > 0) this.stale.delete(entry)
    this.#parts.journal.changed(entry)
    this.#parts.indices.put(entry)
  }

  #takeOut(entry: Entry<C>): void {
    this.#entries.delete(entry.key)
    entry.owner?.release(entry)
    this.bytes -= entry.bytes
    if (entry.failure !== undefined) this.failed--
    this.stale.delete(entry)
    this.#parts.indices.remove(entry)
  }

  #report(error: TransformError): void {
    this.transformFailures++
    this.#errors.push(error)
  }
}

function isOlder(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return compareResourceVersions(a.resourceVersion, b.resourceVersion) === 'older'
}

/** One that was found gone has changed since its last state. One that was seen to go, or is not watched now, may be there in that. */
function goneWith<C>(entry: Entry<C>, final: Entry<C> | 'unwatched' | undefined): Gone {
  if (final === undefined) return { resourceVersion: entry.resourceVersion, isInclusive: true }
  const last = final === 'unwatched' || isOlder(final, entry) ? entry : final
  return { resourceVersion: last.resourceVersion, isInclusive: false }
}
