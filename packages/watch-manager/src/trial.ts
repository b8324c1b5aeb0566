import type { View } from '@wherry/client'
import { anySignal, asError } from '@wherry/client/internal'
import type { Hold } from './cache.ts'
import { type FailedView, throwFailed } from './errors.ts'
import type { Shared } from './shared.ts'

/** A `replace` that changes all views or none: it holds the new views, and waits for them, before anything changes. */
export class Trial<C> {
  /** The intended views after the trial. Views that are added or removed meanwhile change it. */
  readonly target: Map<string, View<C>>
  readonly #registrar: string
  readonly #shared: Shared
  readonly #ended = new AbortController()

  constructor(registrar: string, shared: Shared, target: Map<string, View<C>>) {
    this.#registrar = registrar
    this.#shared = shared
    this.target = target
  }

  /** Ends the trial without a change. */
  end(why: Error): void {
    this.#ended.abort(why)
  }

  /** Throws the reason of the end, if the trial has ended. */
  checkGoing(): void {
    this.#ended.signal.throwIfAborted()
  }

  /** Holds these views, and resolves with the holds when all views have synced. If it rejects, it holds nothing. */
  async run(views: readonly View<C>[], signal: AbortSignal | undefined): Promise<Map<string, Hold<C>>> {
    const either = anySignal(signal, this.#ended.signal)
    const holds = new Map<string, Hold<C>>()
    const failed: FailedView[] = []
    try {
      either.throwIfAborted()
      await this.#shared.whenStarted(either)
      await settledOr(either, Promise.all(views.map(view => this.#shared.subscriptions.moveOf(view.key))))
      for (const view of views) {
        try {
          const { cache, context } = this.#shared
          holds.set(
            view.key,
            context.outside(() => cache.hold(view, this.#registrar)),
          )
        } catch (error) {
          failed.push({ view, reason: asError(error) })
        }
      }
      const synced = async (view: View<C>): Promise<void> => {
        try {
          await holds.get(view.key)?.informer.whenSynced({ signal: either })
        } catch (error) {
          failed.push({ view, reason: asError(error) })
        }
      }
      await Promise.all(views.map(synced))
      this.checkGoing()
      throwFailed(this.#registrar, failed, either)
      return holds
    } catch (error) {
      await this.release(holds.values())
      throw error
    }
  }

  /** Releases holds that no subscription has taken over. */
  async release(holds: Iterable<Hold<C>>): Promise<void> {
    const { context, environment } = this.#shared
    const one = async (hold: Hold<C>): Promise<void> => {
      try {
        await context.outside(() => hold.release())
      } catch (error) {
        environment.onError(asError(error), { phase: `release ${this.#registrar}` })
      }
    }
    await Promise.all([...holds].map(one))
  }
}

/** Waits for `done`, which never rejects. Rejects with the signal's reason. */
function settledOr(signal: AbortSignal, done: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(signal.reason)
    signal.addEventListener('abort', stopped, { once: true })
    done.then(() => {
      signal.removeEventListener('abort', stopped)
      resolve()
    })
    if (signal.aborted) stopped()
  })
}
