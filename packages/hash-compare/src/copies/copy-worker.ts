import {
  type ApiError,
  type Clock,
  isApiError,
  isForbidden,
  isObjectNotFound,
  type KubernetesObject,
} from '@wherry/client'
import type { WorkQueue } from '@wherry/work-queue'
import PQueue from 'p-queue'
import { isWriteConflict } from '../apply/write-conflict.ts'
import type { CopyViews } from './copy-views.ts'
import { type Attempt, type CopyWriter, unseenMs } from './copy-writer.ts'
import type { Decider } from './decision.ts'
import type { Meter } from './meter.ts'
import type { Sources } from './sources.ts'
import { errorOf, type Teller } from './teller.ts'
import { type CopyItem, type WorkItem, workItem } from './work-item.ts'

/** How long work goes on before the event loop is given back. */
const sliceMs = 10

export interface CopyWorkerParts<P, T extends KubernetesObject> {
  readonly queue: WorkQueue
  /** Most requests under way. */
  readonly concurrency: number
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly sources: Sources<P, T>
  readonly writer: CopyWriter<P, T>
  readonly meter: Meter
  readonly teller: Teller
  /** Some work is done. */
  readonly onDone: () => void
}

/** Does what is queued: at once what needs no request, and so many at a time of what does. */
export class CopyWorker<P, T extends KubernetesObject> {
  readonly #of: CopyWorkerParts<P, T>
  readonly #pool: PQueue
  readonly #failing = new Map<string, Error>()

  constructor(of: CopyWorkerParts<P, T>) {
    this.#of = of
    this.#pool = new PQueue({ concurrency: of.concurrency })
  }

  /** What failed when it was tried last: by the key of the copy, the source or the namespace. */
  get failing(): Map<string, Error> {
    return new Map([...this.#failing].map(([item, error]) => [this.#keyOf(workItem(item)), error]))
  }

  /** Works until the queue is stopped, and what is under way has ended. Never rejects. */
  async run(decider: Decider<P, T>, views: CopyViews<P, T>): Promise<void> {
    const { clock, queue } = this.#of
    let begin = clock.monotonic()
    for (;;) {
      if (clock.monotonic() - begin >= sliceMs) {
        await clock.turn()
        begin = clock.monotonic()
      }
      let text = queue.tryTake()
      if (text === undefined) {
        text = await queue.take()
        begin = clock.monotonic()
      }
      if (text === undefined) break
      const item = workItem(text)
      if (item.what !== 'copy') this.#spread(text, item, views)
      else if (!this.#rest(text, item, decider)) {
        this.#pool.add(() => this.#attempt(text, item, decider))
        await this.#pool.onSizeLessThan(1)
      }
    }
    await this.#pool.onIdle()
  }

  /** Gives whether nothing has to be done about a copy. */
  #rest(text: string, { id, namespace, name }: CopyItem, decider: Decider<P, T>): boolean {
    try {
      const decision = decider.decide(id, namespace, name)
      if (decision.what !== 'nothing') return false
      if (decision.because === 'equal') this.#of.meter.skipped()
      this.#finish(text, decision.because === 'unplaced' ? { afterMs: unseenMs } : 'done')
    } catch (error) {
      this.#fail(text, error)
    }
    return true
  }

  async #attempt(text: string, item: CopyItem, decider: Decider<P, T>): Promise<void> {
    try {
      this.#finish(text, await this.#of.writer.attempt(decider, item.id, item))
    } catch (error) {
      this.#fail(text, error)
    }
  }

  /** Queues the copies that a source or a namespace may concern. What one source throws holds up no other. */
  #spread(text: string, item: Exclude<WorkItem, CopyItem>, { namespaces }: CopyViews<P, T>): void {
    const { queue, sources } = this.#of
    const failures: unknown[] = []
    const add = (items: () => readonly string[]): void => {
      try {
        for (const each of items()) queue.add(each)
      } catch (error) {
        failures.push(error)
      }
    }
    if (item.what === 'source') add(() => sources.spread(item.id, namespaces.keys()))
    else for (const source of sources.all()) add(() => sources.copiesIn(item.namespace, source))
    if (failures.length > 0) this.#fail(text, failures[0])
    else this.#finish(text, 'done')
  }

  #finish(text: string, attempt: Attempt): void {
    const { queue } = this.#of
    if (attempt === 'again') queue.addRateLimited(text)
    else {
      queue.forget(text)
      this.#failing.delete(text)
      if (attempt !== 'done') queue.add(text, attempt)
    }
    queue.done(text)
    this.#of.onDone()
  }

  #fail(text: string, thrown: unknown): void {
    const { queue, signal, meter, teller } = this.#of
    const error = errorOf(thrown)
    const key = this.#keyOf(workItem(text))
    queue.addRateLimited(text)
    if (!signal.aborted && isPassing(error)) {
      meter.conflict()
      teller.emit({ type: 'conflict', key, error })
    } else if (!signal.aborted) {
      meter.failed()
      this.#failing.set(text, error)
      teller.tell(error, 'copy', key)
      teller.emit({ type: 'failed', key, error, failures: queue.failures(text) })
    }
    queue.done(text)
    this.#of.onDone()
  }

  #keyOf(item: WorkItem): string {
    switch (item.what) {
      case 'copy':
        return `${item.namespace}/${item.name}`
      case 'source':
        return this.#of.sources.get(item.id)?.mark.key ?? item.id
      case 'namespace':
        return item.namespace
    }
  }
}

/** Whether what was refused is as well as unseen: another state is on its way from the server. */
function isPassing(error: unknown): error is ApiError {
  if (isWriteConflict(error) || isObjectNotFound(error)) return true
  return isForbidden(error) && isApiError(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')
}
