import type { Clock, Timer } from '@wherry/apiserver'
import type { Answer, Asker } from '@wherry/apiserver/internal'
import { type JsonObject, objectAt, parseJson, stringAt } from '@wherry/cel/internal'
import { PlayError } from './error.ts'
import { Feed } from './feed.ts'
import type { ObjectCache } from './object-cache.ts'
import { controllerOf, identity, type PlayedKind, pathOf } from './played-kind.ts'
import { sameStatus } from './same-status.ts'

/** Plays an object: reads it, and makes the next write of its controller. */
export type Part = (scene: Scene, object: JsonObject, key: string) => Promise<void>

/** The maximum number of objects that are played at the same time, and of Pods that are made at the same time for an object. */
const mostAtOnce = 16

/** The longest wait between a refused write and the next try, in milliseconds. */
const longestPauseMs = 60_000

/** The objects, the time and the writes for the parts. */
export class Scene {
  readonly clock: Clock
  readonly #asker: Asker
  readonly #report: (error: Error) => unknown
  readonly #feeds = new Map<PlayedKind, Feed>()
  readonly #parts = new Map<PlayedKind, Part>()
  /** The objects to be played, by kind and key. */
  readonly #queue = new Map<string, { readonly kind: PlayedKind; readonly key: string }>()
  readonly #timers = new Map<string, Map<string, Timer | 'due'>>()
  readonly #wakes = new Map<string, Map<string, { readonly kind: PlayedKind; readonly key: string }>>()
  readonly #failures = new Map<string, { readonly message: string; readonly times: number }>()
  readonly #gone: ((object: JsonObject) => void)[] = []
  #working: Promise<void> | undefined
  #isClosed = false
  #writes = 0

  /** @param report receives the errors of the play. Must neither throw nor reject */
  constructor(asker: Asker, clock: Clock, report: (error: Error) => unknown) {
    this.#asker = asker
    this.clock = clock
    this.#report = report
  }

  /** Watches a kind, and plays its objects if there is a part for the kind. */
  add(kind: PlayedKind, part?: Part): void {
    if (part !== undefined) this.#parts.set(kind, part)
    if (this.#feeds.has(kind)) return
    const changed = (key: string, object: JsonObject, isGone: boolean): void => this.#changed(kind, key, object, isGone)
    this.#feeds.set(kind, new Feed(kind, this.#asker, this.clock, changed))
  }

  /** Calls `forget` with each deleted object. */
  onGone(forget: (object: JsonObject) => void): void {
    this.#gone.push(forget)
  }

  async start(): Promise<void> {
    for (const feed of this.#feeds.values()) await feed.start()
  }

  /** Resolves when nothing is left to be played at this time. */
  async settled(): Promise<void> {
    for (let before = -1; before !== this.#writes; ) {
      before = this.#writes
      for (const feed of this.#feeds.values()) await feed.refresh()
      while (this.#working !== undefined) await this.#working
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const feed of this.#feeds.values()) feed.close()
    for (const timers of this.#timers.values()) for (const timer of timers.values()) if (timer !== 'due') timer.cancel()
    this.#queue.clear()
    await this.#working
  }

  /** The present time in the format of the API. */
  now(): string {
    return new Date(this.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  }

  get(kind: PlayedKind, namespace: string, name: string): JsonObject | undefined {
    return this.#cache(kind).get(`${namespace}/${name}`)
  }

  /** The first object of a kind for which `holds` returns true. */
  find(kind: PlayedKind, holds: (object: JsonObject) => boolean): JsonObject | undefined {
    return this.#cache(kind).all().find(holds)
  }

  /** The objects of a kind that an object controls. */
  owned(kind: PlayedKind, owner: JsonObject): readonly JsonObject[] {
    return this.#cache(kind).ownedBy(identity(owner).uid)
  }

  /**
   * Whether `ms` milliseconds have passed since the first call with the same `object` and `what`. If not, the object with this kind and key is played
   * again once they have. The time of the first call is forgotten when `object` is deleted.
   */
  isDue(object: JsonObject, what: string, ms: number, kind: PlayedKind, key: string): boolean {
    if (ms <= 0) return true
    const { uid } = identity(object)
    const timers = this.#timers.get(uid) ?? new Map<string, Timer | 'due'>()
    this.#timers.set(uid, timers)
    const timer = timers.get(what)
    if (timer === undefined && ms !== Number.POSITIVE_INFINITY)
      timers.set(
        what,
        this.clock.timer(ms, () => {
          timers.set(what, 'due')
          this.#enqueue(kind, key)
        }),
      )
    return timer === 'due'
  }

  /** Plays an object again when another object is added, changed or deleted. */
  wakeWhen(other: { readonly kind: PlayedKind; readonly key: string }, kind: PlayedKind, key: string): void {
    const id = idOf(other.kind, other.key)
    const wakes = this.#wakes.get(id) ?? new Map<string, { readonly kind: PlayedKind; readonly key: string }>()
    this.#wakes.set(id, wakes.set(idOf(kind, key), { kind, key }))
  }

  /** Creates objects, several of them at the same time. */
  async createAll(kind: PlayedKind, namespace: string, objects: readonly JsonObject[]): Promise<void> {
    for (let at = 0; at < objects.length; at += mostAtOnce)
      await Promise.all(objects.slice(at, at + mostAtOnce).map(one => this.create(kind, namespace, one)))
  }

  async create(kind: PlayedKind, namespace: string, object: JsonObject): Promise<void> {
    const { apiVersion, kind: name } = kind
    await this.#write(kind, 'POST', pathOf(kind, namespace), { apiVersion, kind: name, ...object })
  }

  /** Updates an object. Fails if it was changed since it was read. */
  async update(kind: PlayedKind, object: JsonObject): Promise<void> {
    const { namespace, name } = identity(object)
    await this.#write(kind, 'PUT', pathOf(kind, namespace, name), object)
  }

  /** Writes a status, unless the object has an equal status. */
  async status(kind: PlayedKind, object: JsonObject, status: JsonObject): Promise<void> {
    if (sameStatus(status, objectAt(object, 'status'))) return
    const { namespace, name } = identity(object)
    await this.#write(kind, 'PUT', `${pathOf(kind, namespace, name)}/status`, { ...object, status })
  }

  /** Posts to a subresource of an object. The answer is not the object. */
  async post(kind: PlayedKind, object: JsonObject, part: string, body: JsonObject): Promise<void> {
    const { namespace, name } = identity(object)
    await this.#ask('POST', `${pathOf(kind, namespace, name)}/${part}`, body)
  }

  async delete(kind: PlayedKind, object: JsonObject, options: JsonObject = {}): Promise<void> {
    const { namespace, name, uid } = identity(object)
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, ...options }
    await this.#ask('DELETE', pathOf(kind, namespace, name), body)
    this.#cache(kind).deleted(`${namespace}/${name}`, uid, this.now())
  }

  #cache(kind: PlayedKind): ObjectCache {
    return (this.#feeds.get(kind) as Feed).cache
  }

  async #write(kind: PlayedKind, method: string, path: string, body: JsonObject): Promise<void> {
    const { text } = await this.#ask(method, path, body)
    this.#cache(kind).wrote(parseJson(text) as JsonObject)
  }

  async #ask(method: string, path: string, body: JsonObject): Promise<Answer> {
    const answer = await this.#asker.ask(method, path, body)
    this.#writes += 1
    if (answer.status >= 300) throw new Refused(answer)
    return answer
  }

  #changed(kind: PlayedKind, key: string, object: JsonObject, isGone: boolean): void {
    const { uid, namespace } = identity(object)
    if (isGone) {
      for (const timer of this.#timers.get(uid)?.values() ?? []) if (timer !== 'due') timer.cancel()
      this.#timers.delete(uid)
      this.#failures.delete(uid)
      for (const forget of this.#gone) forget(object)
    }
    this.#enqueue(kind, key)
    const owner = controllerOf(object)
    for (const one of this.#parts.keys())
      if (owner?.kind === one.kind && owner.apiVersion === one.apiVersion)
        this.#enqueue(one, `${namespace}/${owner.name}`)
    const id = idOf(kind, key)
    const wakes = [...(this.#wakes.get(id)?.values() ?? [])]
    this.#wakes.delete(id)
    for (const wake of wakes) this.#enqueue(wake.kind, wake.key)
  }

  #enqueue(kind: PlayedKind, key: string): void {
    if (this.#isClosed || !this.#parts.has(kind)) return
    this.#queue.set(idOf(kind, key), { kind, key })
    this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    // Several changes at the same time are played once.
    await this.clock.turn()
    const running = new Map<string, Promise<void>>()
    for (;;) {
      for (const [id, next] of this.#queue) {
        if (running.size === mostAtOnce) break
        // An object is not played twice at the same time.
        if (running.has(id)) continue
        this.#queue.delete(id)
        running.set(
          id,
          this.#play(next).finally(() => running.delete(id)),
        )
      }
      if (running.size === 0) break
      await Promise.race(running.values())
    }
    this.#working = undefined
  }

  async #play({ kind, key }: { readonly kind: PlayedKind; readonly key: string }): Promise<void> {
    const object = this.#cache(kind).get(key)
    if (object === undefined) return
    const { uid } = identity(object)
    try {
      await this.#parts.get(kind)?.(this, { apiVersion: kind.apiVersion, kind: kind.kind, ...object }, key)
      this.#failures.delete(uid)
    } catch (error) {
      if (!this.#isClosed) this.#failed(kind, key, object, error as Error)
    }
  }

  /** Plays the object again after a while. Reports the error, unless it is expected, or the last try had the same error. */
  #failed(kind: PlayedKind, key: string, object: JsonObject, error: Error): void {
    const { uid } = identity(object)
    const { message, times } = this.#failures.get(uid) ?? { message: undefined, times: 0 }
    this.#failures.set(uid, { message: error.message, times: times + 1 })
    const isExpected = error instanceof Refused && error.isExpected
    if (!isExpected && message !== error.message)
      this.#report(error instanceof PlayError ? error : new PlayError(`${kind.kind} ${key}`, error.message, error))
    this.isDue(object, `try ${times + 1}`, Math.min(1000 * 2 ** times, longestPauseMs), kind, key)
  }
}

/** A write that the server refused. */
class Refused extends Error {
  /** Whether another write was first, or the object or its namespace is deleted. The next event of the watch then shows the new state. */
  readonly isExpected: boolean

  constructor({ status, text }: Answer) {
    const said = text.startsWith('{') ? (parseJson(text) as JsonObject) : {}
    super(stringAt(said, 'message') ?? `was answered with ${status}: ${text}`)
    this.isExpected = status === 404 || status === 409 || /because it is being terminated$/.test(this.message)
  }
}

function idOf({ plural }: PlayedKind, key: string): string {
  return `${plural}/${key}`
}
