import type { Clock, View } from '@wherry/client'
import { WorkQueue } from '@wherry/work-queue'
import { work } from '../controller/workers.ts'
import type { PollPolicy } from './options.ts'
import { resourceKey } from './own-writes.ts'

/** How many objects of one resource are asked for at a time. */
const atATime = 10

/** Something that is polled: an object. */
interface Polled {
  /** Looks at it, and adds it again unless it is over. Never rejects. */
  look(signal: AbortSignal): Promise<void>
}

/** How often the objects of one resource are polled, and which are next. A resource that gets no answers holds up no other. */
interface PolledResource {
  readonly pollMs: number
  readonly queue: WorkQueue<Polled>
  readonly working: Promise<void>
}

/** Looks at objects from time to time, of resources for which that is allowed (rule C16). */
export class Polling {
  readonly #resources = new Map<string, PolledResource>()
  readonly #stop = new AbortController()

  constructor(clock: Clock, policies: readonly PollPolicy[]) {
    const byResource = new Map(policies.map(({ resource: { resource }, pollMs }) => [resourceKey(resource), pollMs]))
    for (const [name, pollMs] of byResource) {
      const queue = new WorkQueue<Polled>({ clock })
      const working = work(queue, atATime, clock, object => object.look(this.#stop.signal))
      this.#resources.set(name, { pollMs, queue, working })
    }
  }

  /** How often objects of a view are polled where they have to be; `undefined`: they may not be. */
  pollMs(view: View): number | undefined {
    return this.#of(view)?.pollMs
  }

  /** It is looked at once after a time, if that is allowed of its resource. */
  add(object: Polled, view: View): void {
    const polled = this.#of(view)
    polled?.queue.add(object, { afterMs: polled.pollMs })
  }

  delete(object: Polled, view: View): void {
    this.#of(view)?.queue.remove(object)
  }

  /** Resolves when nothing is being asked for any more. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('tracked reads were closed'))
    await Promise.all([...this.#resources.values()].flatMap(({ queue, working }) => [queue.stop(), working]))
  }

  #of({ resource }: View): PolledResource | undefined {
    return this.#resources.get(resourceKey(resource))
  }
}
