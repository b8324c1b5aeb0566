import type { Clock, Timer } from '@wherry/apiserver'
import type { Asker } from '@wherry/apiserver/internal'
import { type JsonObject, objectAt, parseJson, stringAt } from '@wherry/cel/internal'
import { ObjectCache } from './object-cache.ts'
import type { PlayedKind } from './played-kind.ts'

const firstPauseMs = 100
const longestPauseMs = 5000

/** Keeps the objects of a kind in a cache: lists them, watches them, and lists them again when the watch has ended. */
export class Feed {
  readonly cache: ObjectCache
  readonly #asker: Asker
  readonly #clock: Clock
  readonly #path: string
  #isClosed = false
  #isWatched = false
  #listing: Promise<void> = Promise.resolve()
  #pauseMs = firstPauseMs
  #stop: () => void = () => undefined
  #timer: Timer | undefined

  constructor(
    { root, plural }: PlayedKind,
    asker: Asker,
    clock: Clock,
    changed: ConstructorParameters<typeof ObjectCache>[0],
  ) {
    this.cache = new ObjectCache(changed)
    this.#path = `${root}/${plural}`
    this.#asker = asker
    this.#clock = clock
  }

  /** Resolves when the cache has a first list. Rejects if the list fails. */
  async start(): Promise<void> {
    this.#watch(await this.#list())
  }

  /** Resolves when the cache has the state of the server at the time of the call. */
  async refresh(): Promise<void> {
    await this.#list()
  }

  close(): void {
    this.#isClosed = true
    this.#stop()
    this.#timer?.cancel()
  }

  /** Lists the objects. Lists run one after the other, because a late answer would bring an old state. */
  #list(): Promise<JsonObject> {
    const list = this.#listing.then(() => this.#listNow())
    this.#listing = list.then(
      () => undefined,
      () => undefined,
    )
    return list
  }

  async #listNow(): Promise<JsonObject> {
    const { status, text } = await this.#asker.ask('GET', this.#path)
    if (status !== 200) throw new Error(`play: GET ${this.#path} was answered with ${status}: ${text}`)
    const list = parseJson(text) as JsonObject
    if (!this.#isClosed) this.cache.replace(list, { isWatched: this.#isWatched })
    return list
  }

  #watch(list: JsonObject): void {
    if (this.#isClosed) return
    const from = stringAt(objectAt(list, 'metadata'), 'resourceVersion')
    const path = `${this.#path}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`
    this.#isWatched = true
    this.#stop = this.#asker.follow(
      path,
      line => this.#take(parseJson(line) as JsonObject),
      () => this.#again(),
    )
  }

  #take(event: JsonObject): void {
    const type = stringAt(event, 'type') ?? ''
    const object = objectAt(event, 'object')
    // An ERROR ends the watch, and a list follows.
    if (object === undefined || !['ADDED', 'MODIFIED', 'DELETED'].includes(type)) return
    this.#pauseMs = firstPauseMs
    this.cache.event(type, object)
  }

  #again(): void {
    this.#isWatched = false
    if (this.#isClosed) return
    this.#timer = this.#clock.timer(this.#pauseMs, () => {
      this.start().catch(() => this.#again())
    })
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }
}
