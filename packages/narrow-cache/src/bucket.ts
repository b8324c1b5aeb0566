import { type ChangeType, isExpired, isResourceNotFound, isTooLarge } from '@wherry/client'
import { type Intake, Reflector, type Replacement } from '@wherry/informer'
import { isForTheCaller } from '@wherry/informer/parts'
import type { Entry } from './entry.ts'
import type { Kind } from './kind.ts'
import { metadataTarget } from './level.ts'
import { versionOf } from './source.ts'

/** How long no other escalation is tried where one was refused, in milliseconds. */
const refusedMs = 300_000

/** How long a watch is asked to last: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }

/**
 * How the entries of a bucket are watched (rule N11):
 *
 * - `narrow`: each by itself.
 * - `rising`: as before, while one watch of the metadata of all objects there is being opened; new ones wait for it.
 * - `wide`: by that watch, and fetched when they have changed.
 * - `falling`: those that have no watch of their own yet by that watch, until all have.
 */
export type BucketPhase = 'narrow' | 'rising' | 'wide' | 'falling'

/** The entries of one kind in one namespace. */
export class Bucket {
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly entries: Map<string, Entry> = new Map<string, Entry>()
  #phase: BucketPhase = 'narrow'
  #wide: Reflector | undefined
  #refusedAt = Number.NEGATIVE_INFINITY

  constructor(kind: Kind, namespace: string | undefined) {
    this.kind = kind
    this.namespace = namespace
  }

  get phase(): BucketPhase {
    return this.#phase
  }

  /** How far its one watch has come. */
  get reached(): string | undefined {
    return this.#wide?.lastSyncedResourceVersion
  }

  get lastError(): Error | undefined {
    return this.#wide?.lastError
  }

  add(entry: Entry): void {
    const { escalateAt } = this.kind.shared.settings
    this.entries.set(entry.key.text, entry)
    if (this.entries.size > escalateAt) this.rise()
    if (this.#phase === 'wide') entry.moveToWide(undefined)
    else if (this.#phase !== 'rising') this.#open(entry)
  }

  /** It was closed. `isRoomy`: all entries may have watches of their own. */
  remove(entry: Entry, isRoomy: boolean): void {
    this.entries.delete(entry.key.text)
    if (this.entries.size === 0) {
      this.#stop()
      this.#phase = 'narrow'
    } else if (this.#phase === 'wide' && isRoomy && this.entries.size < this.kind.shared.settings.escalateAt / 2) {
      this.#fall()
    } else if (this.#phase === 'falling') this.settle()
  }

  /** Moves all to one watch. Gives whether they are, or will be unless it is refused. */
  rise(): boolean {
    const { shared, resource } = this.kind
    if (this.#phase === 'rising' || this.#phase === 'wide') return true
    if (shared.settings.escalateAt === Number.POSITIVE_INFINITY) return false
    if (shared.environment.clock.monotonic() - this.#refusedAt < refusedMs) return false
    shared.count('wherry_narrow_escalations_total', resource)
    if (this.#phase === 'falling') {
      this.#phase = 'wide'
      for (const entry of [...this.entries.values()]) entry.moveToWide(undefined)
      return true
    }
    this.#phase = 'rising'
    this.#openWide()
    return true
  }

  /** Looks whether all have watches of their own again. */
  settle(): void {
    if (this.#phase !== 'falling') return
    for (const entry of this.entries.values()) if (!entry.isOnItsOwn) return
    this.#phase = 'narrow'
    this.#stop()
  }

  /** Lets go of its watch. */
  close(): void {
    this.#stop()
    this.entries.clear()
  }

  #fall(): void {
    this.#phase = 'falling'
    this.kind.shared.count('wherry_narrow_deescalations_total', this.kind.resource)
    for (const entry of [...this.entries.values()]) this.#open(entry)
  }

  /** Opens an entry's own watch when its turn comes, unless another way was found by then. */
  #open(entry: Entry): void {
    this.kind.shared.queue(() => {
      const isWanted = !entry.isOver && !entry.isOnItsOwn && (this.#phase === 'narrow' || this.#phase === 'falling')
      return isWanted ? entry.open() : Promise.resolve()
    })
  }

  #openWide(): void {
    const { shared, environment, view, resource } = this.kind
    const { client, maxObjectBytes } = shared.settings
    const reflector: Reflector = new Reflector({
      client: { context: client.context, environment },
      target: metadataTarget(view, this.namespace),
      firstList: 'newest',
      streaming: shared.streaming,
      timeoutSeconds,
      maxObjectBytes,
      on: {
        error: error => {
          if (this.#wide !== reflector) return
          if (isForTheCaller(error) && (this.#phase === 'rising' || !isResourceNotFound(error))) this.#refused(error)
          else if (!isExpired(error) && !isTooLarge(error)) environment.onError(error, { resource, phase: 'escalated' })
        },
      },
    })
    this.#wide = reflector
    reflector.add(this.#intake(reflector))
    shared.opened()
    reflector.start()
  }

  #intake(reflector: Reflector): Intake {
    const isLive = (): boolean => this.#wide === reflector
    let isSynced = false
    return {
      get synced() {
        return isSynced
      },
      replace: () =>
        this.#replacement(reflector, () => {
          isSynced = true
        }),
      change: (type: ChangeType, object: object, bytes: number) => {
        if (isLive()) this.entries.get(textOf(object))?.wideChange(type, object, bytes)
      },
      progress: () => {
        if (isLive()) for (const entry of [...this.entries.values()]) entry.wideProgress()
      },
      clear: () => {
        if (isLive()) for (const entry of [...this.entries.values()]) entry.wideGone()
      },
      close() {},
    }
  }

  /** Of a list nothing is kept but the versions of those that are entries. */
  #replacement(reflector: Reflector, synced: () => void): Replacement {
    const found = new Map<string, ReturnType<typeof versionOf>>()
    return {
      put: object => {
        const text = textOf(object)
        if (this.entries.has(text)) found.set(text, versionOf(object))
      },
      remove: object => found.delete(textOf(object)),
      commit: () => {
        synced()
        if (this.#wide !== reflector) return
        if (this.#phase === 'rising') this.#phase = 'wide'
        for (const entry of [...this.entries.values()]) {
          if (this.#phase === 'wide' || !entry.isOnItsOwn) entry.moveToWide({ version: found.get(entry.key.text) })
        }
      },
      drop() {},
    }
  }

  /** There is no such watch for us: each by itself, then. */
  #refused(error: Error): void {
    const { shared, environment, resource } = this.kind
    this.#refusedAt = shared.environment.clock.monotonic()
    this.#stop()
    this.#phase = 'narrow'
    shared.count('wherry_narrow_escalations_refused_total', resource)
    environment.onError(error, { resource, phase: 'escalate', key: this.namespace })
    for (const entry of [...this.entries.values()]) {
      entry.wideEnded()
      // One that somebody has been told of keeps being watched.
      if (entry.isOverBound && entry.isPresent === undefined) entry.full()
      else if (!entry.isOnItsOwn) this.#open(entry)
    }
  }

  #stop(): void {
    if (this.#wide === undefined) return
    const reflector = this.#wide
    this.#wide = undefined
    this.kind.shared.ending(reflector.stop())
  }
}

function textOf(object: object): string {
  const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}
