import { type Environment, InvalidObjectError, type ReadTarget, resourceName, type View } from '@wherry/client'
import { type ReflectorSettings, settingsOf } from '@wherry/informer/parts'
import type { CacheContext } from './cache-context.ts'
import { Entry } from './entry.ts'
import type { EntryScope, ResourceScope } from './entry-scope.ts'
import type { CheckedKey } from './key.ts'
import { type Level, named, targetAt } from './level.ts'
import { NamespaceWatch, timeoutSeconds, type WatchedEntries } from './namespace-watch.ts'
import { ObjectFloor } from './object-floor.ts'

const none: readonly Entry[] = []

/** The entries of one resource and selectors in one namespace, and the one watch that may feed them. */
export class NamespaceEntries implements EntryScope, WatchedEntries {
  readonly of: ResourceEntries
  /** `undefined`: of a cluster-scoped resource. */
  readonly namespace: string | undefined
  readonly watch: NamespaceWatch
  readonly validators: readonly NamespaceWatch[]
  size = 0
  /** By the text of their keys. */
  readonly #objects = new Map<string, ObjectFloor<Entry>>()
  /** What to read for all of its objects, by level. */
  readonly #targets: ReadTarget[] = []

  constructor(of: ResourceEntries, namespace: string | undefined) {
    this.of = of
    this.namespace = namespace
    this.watch = new NamespaceWatch(of, this)
    this.validators = of.watch === undefined ? [this.watch] : [of.watch, this.watch]
  }

  /** Of a cluster-scoped resource there is one watch that its entries could move to. */
  get #most(): number {
    const { escalateAt, escalateAllAt } = this.of.shared.settings
    return this.namespace === undefined ? Math.min(escalateAt, escalateAllAt) : escalateAt
  }

  get isMany(): boolean {
    return this.size > this.#most
  }

  get isFew(): boolean {
    return this.size < this.#most / 2
  }

  target(level: Level, name: string): ReadTarget {
    this.#targets[level] ??= targetAt(this.of.view, this.namespace, level)
    return named(this.#targets[level], this.of.view, name)
  }

  object(text: string): ObjectFloor<Entry> | undefined {
    return this.#objects.get(text)
  }

  all(): Entry[] {
    return [...this.#objects.values()].flatMap(({ forms }) => forms)
  }

  find(_: string | undefined, text: string): readonly Entry[] {
    return this.#objects.get(text)?.forms ?? none
  }

  make(key: CheckedKey, level: Level): Entry {
    const object = this.#objects.get(key.text) ?? new ObjectFloor<Entry>()
    this.#objects.set(key.text, object)
    this.size += 1
    return new Entry(this, object, key, level)
  }

  /** Forgets a closed entry. */
  remove({ key, object }: Entry): void {
    this.size -= 1
    if (object.forms.length === 0) this.#objects.delete(key.text)
  }

  /** Opens its watch, unless that may not be. Returns whether it will feed the entries. */
  rise(): boolean {
    return this.#most !== Number.POSITIVE_INFINITY && this.watch.rise()
  }

  rollBackObjects(): void {
    for (const object of this.#objects.values()) object.rollBack()
  }

  wide(): void {}

  refused(): void {}

  again(): void {
    this.of.riseWhereMany(this)
    this.of.tidy(this)
    this.of.tidyUp()
  }
}

/** The entries of one resource and selectors. It decides how they are watched: one by one, by namespace, or all at once (rule N11). */
export class ResourceEntries implements ResourceScope, WatchedEntries {
  readonly view: View
  readonly shared: CacheContext
  readonly resource: string
  readonly environment: Environment
  readonly settings: ReflectorSettings
  /** By namespace; `''` where there are none. */
  readonly namespaces: Map<string, NamespaceEntries> = new Map<string, NamespaceEntries>()
  /** Of all namespaces; `undefined` for a cluster-scoped resource. */
  readonly watch: NamespaceWatch | undefined
  readonly namespace = undefined
  size = 0
  epoch = 0
  #isMany = false
  readonly #emptied: () => void

  /** @param emptied called when it has nothing left to be remembered */
  constructor(view: View, shared: CacheContext, emptied: () => void) {
    const { environment } = shared
    this.view = view
    this.shared = shared
    this.#emptied = emptied
    this.resource = resourceName(view.resource)
    this.watch = view.resource.namespaced ? new NamespaceWatch(this, this) : undefined
    this.environment = {
      ...environment,
      random: () => environment.random(),
      onError: (error, context) => {
        const isOfEntry = context.phase === 'list' || context.phase === 'watch'
        if (!isOfEntry || error instanceof InvalidObjectError) environment.onError(error, context)
      },
    }
    const { context, streaming, gate, settings } = shared
    const { maxObjectBytes } = settings
    const client = { context, environment: this.environment }
    this.settings = settingsOf({ client, firstList: 'newest', streaming, gate, timeoutSeconds, maxObjectBytes })
  }

  all(): Entry[] {
    return [...this.namespaces.values()].flatMap(one => one.all())
  }

  find(namespace: string | undefined, text: string): readonly Entry[] {
    return this.namespaces.get(namespace ?? '')?.find(namespace, text) ?? none
  }

  object(namespace: string | undefined, text: string): ObjectFloor<Entry> | undefined {
    return this.namespaces.get(namespace ?? '')?.object(text)
  }

  in(namespace: string | undefined): NamespaceEntries {
    const key = namespace ?? ''
    const one = this.namespaces.get(key) ?? new NamespaceEntries(this, namespace)
    this.namespaces.set(key, one)
    return one
  }

  /** Begins to watch an entry that was made. */
  added(entry: Entry, scope: NamespaceEntries): void {
    this.size += 1
    const wasMany = this.#isMany
    if (this.watch !== undefined && this.size > this.shared.settings.escalateAllAt) this.#isMany = true
    if (this.#isMany) this.#riseAll(wasMany ? [scope] : this.namespaces.values())
    else if (scope.isMany) scope.rise()
    this.place(entry)
  }

  /** An entry was closed. `isRoomy`: all others may have watches of their own. */
  removed(entry: Entry, isRoomy: boolean): void {
    const scope = entry.scope as NamespaceEntries
    scope.remove(entry)
    this.size -= 1
    this.tidy(scope)
    if (this.size > 0) return isRoomy ? this.shrink([scope]) : undefined
    if (this.watch?.isRefused !== true) this.watch?.end()
    this.tidyUp()
  }

  /** Has one watch take over, which makes room for one more. Returns whether it will, unless it is refused. */
  rise(scope: NamespaceEntries): boolean {
    if (this.watch?.isUp === true || scope.rise()) return true
    return this.shared.settings.escalateAllAt !== Number.POSITIVE_INFINITY && this.watch?.rise() === true
  }

  place(entry: Entry): void {
    const { validators } = entry.scope
    const wide = validators.find(({ isWide }) => isWide)
    if (entry.isOver || (wide !== undefined && entry.validator === wide)) return
    if (wide !== undefined) entry.validate(wide, undefined)
    else if (validators.some(({ isComing }) => isComing) || entry.isOnItsOwn) return
    else if (entry.isFull || (entry.isOverBound && validators.some(({ isUp }) => isUp))) entry.news()
    else entry.openInTurn()
  }

  wide(): void {
    for (const one of this.namespaces.values()) {
      one.watch.end()
      this.tidy(one)
    }
  }

  refused(): void {
    for (const one of this.namespaces.values()) this.#riseOne(one)
  }

  again(): void {
    if (this.#isMany) this.#riseAll(this.namespaces.values())
    else for (const one of this.namespaces.values()) this.riseWhereMany(one)
    this.tidyUp()
  }

  riseWhereMany(one: NamespaceEntries): void {
    if (this.watch?.isUp === true) return
    if (this.#isMany) this.#riseOne(one)
    else if (one.isMany) one.rise()
    else if (one.all().some(({ isOverBound }) => isOverBound)) this.rise(one)
  }

  /**
   * The server counts anew: nothing that was held counts until it is read again. `source`: the entry or watch that showed it, whose watch
   * goes on.
   */
  rollBack(source: unknown): void {
    this.epoch += 1
    const entries = this.all()
    for (const one of this.namespaces.values()) {
      one.rollBackObjects()
      one.watch.rolledBack(source)
    }
    this.watch?.rolledBack(source)
    for (const entry of entries) if (!entry.isOver) entry.rolledBack(source)
  }

  /** Forgets a namespace without entries, unless its watch was refused: it would be tried again with the next entry. */
  tidy(one: NamespaceEntries): void {
    if (one.size > 0 || one.watch.isRefused) return
    one.watch.end()
    this.namespaces.delete(one.namespace ?? '')
  }

  tidyUp(): void {
    if (this.namespaces.size === 0 && this.watch?.isRefused !== true) this.#emptied()
  }

  close(): void {
    this.watch?.end()
    for (const { watch } of this.namespaces.values()) watch.end()
    this.namespaces.clear()
  }

  /** Fewer are left: below half of the bounds each is watched by itself again. */
  shrink(namespaces: Iterable<NamespaceEntries>): void {
    const isFew = this.size < this.shared.settings.escalateAllAt / 2
    const wasMany = this.#isMany
    if (isFew) this.#isMany = false
    if (this.#isMany) return
    if (isFew && this.watch?.isUp === true) {
      for (const one of this.namespaces.values()) if (one.isMany) one.rise()
      this.watch.fall()
    }
    for (const one of wasMany ? this.namespaces.values() : namespaces) if (one.watch.isUp && one.isFew) one.watch.fall()
  }

  /** One watch of all, or else one for each of these. */
  #riseAll(namespaces: Iterable<NamespaceEntries>): void {
    // What one namespace has is what its own watch brings, and no more.
    if (this.#only?.watch.isUp === true || this.watch?.rise() === true) return
    for (const one of namespaces) this.#riseOne(one)
  }

  /** The one namespace that has entries; `undefined` where others have, too. */
  get #only(): NamespaceEntries | undefined {
    let only: NamespaceEntries | undefined
    for (const one of this.namespaces.values()) {
      if (one.size === 0) continue
      if (only !== undefined) return undefined
      only = one
    }
    return only
  }

  /** For one entry a watch of all metadata is no gain. */
  #riseOne(one: NamespaceEntries): void {
    if (one.size > 1) one.rise()
  }
}
