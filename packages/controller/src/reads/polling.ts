import { type Client, resourceName, type View } from '@wherry/client'
import { type NarrowCache, NarrowFullError, NarrowWatchRefusedError } from '@wherry/narrow-cache'
import { WorkQueue } from '@wherry/work-queue'
import { work } from '../controller/workers.ts'
import { versionOf } from '../objects/version.ts'
import { NarrowFeed } from './narrow-feed.ts'
import type { PollPolicy } from './options.ts'
import { resourceKey } from './own-writes.ts'
import { PollFeed } from './poll-feed.ts'
import type { TrackedObject } from './tracked-object.ts'

/** How many objects of one resource are asked for at a time. */
const atATime = 10
/** How long no watch is tried where one was refused, in milliseconds. */
const refusedMs = 300_000

/** How often the objects of one resource are polled, and which are next. A resource that gets no answers holds up no other. */
interface Polled {
  readonly pollMs: number
  readonly queue: WorkQueue<TrackedObject>
  readonly working: Promise<void>
}

/**
 * What becomes of objects that can't be watched, of resources for which that is allowed (rule C16): they are polled, until
 * they can be.
 */
export class Polling {
  readonly #client: Client
  readonly #narrow: NarrowCache
  readonly #polled = new Map<string, Polled>()
  readonly #stop = new AbortController()

  constructor(client: Client, narrow: NarrowCache, policies: readonly PollPolicy[]) {
    const { clock } = client.environment
    this.#client = client
    this.#narrow = narrow
    const pollMs = new Map(policies.map(({ resource: { resource }, pollMs }) => [resourceKey(resource), pollMs]))
    for (const [name, ms] of pollMs) {
      const queue = new WorkQueue<TrackedObject>({ clock })
      const working = work(queue, atATime, clock, object => this.#look(object))
      this.#polled.set(name, { pollMs: ms, queue, working })
    }
  }

  /** How often objects of a view are polled where they have to be; `undefined`: they may not be. */
  pollMs({ resource }: View): number | undefined {
    return this.#polled.get(resourceKey(resource))?.pollMs
  }

  /** It is looked at from time to time, if that is allowed of its resource. */
  add(object: TrackedObject): void {
    const polled = this.#polled.get(resourceKey(object.view.resource))
    polled?.queue.add(object, { afterMs: polled.pollMs })
  }

  delete(object: TrackedObject): void {
    this.#polled.get(resourceKey(object.view.resource))?.queue.remove(object)
  }

  /** Resolves when it is known how the object can be read. Rejects where that is to be told to the reader. */
  async ready(object: TrackedObject, signal: AbortSignal | undefined): Promise<void> {
    try {
      await object.feed.ready(signal)
    } catch (error) {
      if (!isRefusal(error) || this.pollMs(object.view) === undefined || object.isOver) throw error
      if (object.feed.served === 'narrow') object.change(new PollFeed(this.#client, object))
    }
  }

  /** Resolves when nothing is being asked for any more. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('tracked reads were closed'))
    await Promise.all([...this.#polled.values()].flatMap(({ queue, working }) => [queue.stop(), working]))
  }

  /** Looks at one object, by whatever way there is; never rejects. */
  async #look(object: TrackedObject): Promise<void> {
    const { environment } = this.#client
    const { signal } = this.#stop
    try {
      await this.#goBack(object)
      if (object.isOver) return
      // It may have turned out since it was read last that it can't be watched.
      if (object.feed.isCatchingUp) await this.ready(object, signal)
      if (object.feed.served === 'polled') await object.feed.live(signal)
    } catch (error) {
      if (signal.aborted) return
      const about = { resource: resourceName(object.view.resource), phase: 'poll', key: object.key.text }
      environment.onError(error as Error, about)
    } finally {
      if (!object.isOver) this.add(object)
    }
  }

  /** A watch is tried again, once there may be one. */
  async #goBack(object: TrackedObject): Promise<void> {
    const { feed } = object
    if (!(feed instanceof PollFeed)) return
    const { clock } = this.#client.environment
    if (this.#isWatched(object)) this.#tellNarrow(object)
    else if (clock.monotonic() - feed.refusedAt < refusedMs) return
    const narrow = new NarrowFeed(this.#narrow, object)
    try {
      await narrow.ready(this.#stop.signal)
    } catch (error) {
      narrow.close()
      if (isRefusal(error)) feed.refused()
      return
    }
    if (object.isOver || object.feed !== feed) narrow.close()
    else object.change(narrow)
  }

  /** What was polled may be newer than what the narrow cache has kept since it was refused: it is to come as far first. */
  #tellNarrow({ view, state }: TrackedObject): void {
    if (versionOf(state) !== undefined) this.#narrow.wrote(view, state as object)
  }

  /** The narrow cache has it, by somebody else's read, or by trying again. */
  #isWatched({ view, key }: TrackedObject): boolean {
    try {
      return this.#narrow.peek(view, key as never) !== undefined
    } catch {
      return true
    }
  }
}

/** Whether an object can't be watched, by what the narrow cache says. */
function isRefusal(error: unknown): boolean {
  return error instanceof NarrowWatchRefusedError || error instanceof NarrowFullError
}
