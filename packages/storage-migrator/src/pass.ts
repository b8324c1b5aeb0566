import {
  type Client,
  type Environment,
  isApiError,
  isExpired,
  type List,
  type PartialObjectMetadata,
  type View,
} from '@wherry/client'
import { anySignal } from '@wherry/client/internal'
import PQueue from 'p-queue'
import { type MigrationCounts, noCounts } from './counts.ts'
import type { StorageTarget } from './definition.ts'
import type { ObjectFailure } from './failure.ts'
import { type ListedObject, listed, ObjectMigration, type ObjectOutcome } from './object.ts'
import type { RewriteOptions } from './options.ts'
import { RequestPacer } from './request-pacer.ts'
import { isConversionRefused, permitted } from './retry.ts'
import type { MigrationState } from './state/migration-state.ts'

/** A state in which nothing is done yet. */
export function freshState({ uid, generation, storageVersion }: StorageTarget): MigrationState {
  return { form: 1, uid, generation, storageVersion, listed: false, counts: noCounts, failures: [] }
}

/** The input of a pass in addition to the options of callers. */
export interface PassHost {
  readonly target: StorageTarget
  /** Saves the state, after each page. */
  save(state: MigrationState): Promise<void>
}

/**
 * A pass through all objects of a definition, page by page. A page is complete once each of its objects has an
 * {@link ObjectOutcome}.
 */
export class Pass {
  readonly #options: RewriteOptions
  readonly #host: PassHost
  readonly #client: Client
  readonly #environment: Environment
  readonly #startedAt: number
  readonly #resumedAt: number
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  readonly #objects: ObjectMigration
  readonly #chunkSize: number
  #state: MigrationState
  #total: number | undefined

  constructor(options: RewriteOptions, host: PassHost, state: MigrationState) {
    const { client, chunkSize = 500, qps = Number.POSITIVE_INFINITY } = options
    this.#options = options
    this.#host = host
    this.#client = client
    this.#environment = client.environment
    this.#chunkSize = chunkSize
    this.#state = state
    this.#startedAt = this.#environment.clock.monotonic()
    this.#resumedAt = state.counts.listed
    this.#signal = anySignal(this.#ending.signal, options.signal)
    this.#objects = new ObjectMigration(
      client,
      host.target,
      new RequestPacer(this.#environment.clock, qps),
      this.#signal,
    )
  }

  /**
   * Continues from the given state to the end, or until there are too many failures. Resolves with the last state. When
   * it rejects, all its requests have ended.
   */
  async run(): Promise<MigrationState> {
    const { maxFailures = 100 } = this.#options
    await this.#retryFailures()
    if (this.#state.listed) return this.#state
    while (!this.#state.listed) {
      const page = await this.#list()
      const next = await this.#rewritten(page)
      if (next.failures.length >= maxFailures) {
        // The saved state is the state before the page, so the next run lists the page again. The page is counted only in the report.
        await this.#host.save(this.#state)
        return { ...next, listed: false }
      }
      await this.#keep(next)
    }
    await this.#retryFailures()
    return this.#state
  }

  /** Lists a page. After an expired token, continues with the list in a newer state, or begins again with the first page. */
  async #list(): Promise<List<PartialObjectMetadata>> {
    let token = this.#state.continue
    for (;;) {
      try {
        return await this.#readable(token)
      } catch (error) {
        // A 400: the token is not from this server. The state may have been restored, or written by another program.
        const isUseless = isApiError(error) && (error.status === 400 || isExpired(error))
        if (token === undefined || !isUseless) throw error
        if (error.continueToken === undefined) this.#startAgain()
        token = error.continueToken
      }
    }
  }

  /**
   * Lists a page that the server can read. An object that can't be converted makes a list fail as a whole, but a list at the version at which the
   * object is stored converts nothing. If each version fails for some object of a page, smaller pages separate these objects.
   */
  async #readable(token: string | undefined): Promise<List<PartialObjectMetadata>> {
    const { view, otherViews } = this.#host.target
    for (let limit = this.#chunkSize; ; limit = Math.floor(limit / 2)) {
      let refusal: unknown
      for (const each of [view, ...otherViews]) {
        try {
          return await this.#page(each, limit, token)
        } catch (error) {
          if (!isConversionRefused(error)) throw error
          refusal ??= error
        }
      }
      if (limit === 1) throw refusal
    }
  }

  async #page(
    view: View<PartialObjectMetadata>,
    limit: number,
    token: string | undefined,
  ): Promise<List<PartialObjectMetadata>> {
    const { definition } = this.#host.target
    const options = { limit, continue: token, signal: this.#signal }
    const list = (): Promise<List<PartialObjectMetadata>> => this.#client.list(view, options)
    return permitted(this.#environment, definition, `list ${definition}`, list, this.#signal)
  }

  /** Begins again with the first page. Objects that were rewritten before are then `unchanged`, and failed objects are tried again. */
  #startAgain(): void {
    this.#state = freshState(this.#host.target)
  }

  /** Rewrites the objects of a page. Resolves with the state after the page. */
  async #rewritten(page: List<PartialObjectMetadata>): Promise<MigrationState> {
    const objects = page.items.map(listed)
    const { counts, failures } = this.#state
    this.#total = counts.listed + objects.length + (page.remainingItemCount ?? 0)
    const outcomes = await this.#each(objects, object => this.#objects.migrate(object))
    const { continue: _, ...state } = this.#state
    return {
      ...state,
      ...(page.continue !== undefined && { continue: page.continue }),
      listed: page.continue === undefined,
      counts: added(counts, outcomes, objects.length),
      failures: [...failures, ...outcomes.filter(isFailure)],
    }
  }

  async #retryFailures(): Promise<void> {
    const { failures, counts } = this.#state
    if (failures.length === 0) return
    const outcomes = await this.#each(failures, failure => this.#objects.again(failure))
    await this.#keep({ ...this.#state, counts: added(counts, outcomes, 0), failures: outcomes.filter(isFailure) })
  }

  async #keep(state: MigrationState): Promise<void> {
    await this.#host.save(state)
    this.#state = state
    this.#report()
  }

  /** Handles objects, several at a time. The first error ends the work on the others, and is thrown once all work has ended. */
  async #each<T extends ListedObject | ObjectFailure>(
    objects: readonly T[],
    one: (object: T) => Promise<ObjectOutcome>,
  ): Promise<ObjectOutcome[]> {
    const queue = new PQueue({ concurrency: this.#options.concurrency ?? 10 })
    try {
      return await queue.addAll(objects.map(object => () => one(object)))
    } catch (error) {
      queue.clear()
      this.#ending.abort(error)
      await queue.onIdle()
      throw error
    }
  }

  #report(): void {
    const { onProgress } = this.#options
    if (onProgress === undefined) return
    const { definition, storageVersion } = this.#host.target
    const { counts, failures } = this.#state
    const elapsedMs = this.#environment.clock.monotonic() - this.#startedAt
    const reported = { total: this.#total, counts, failed: failures.length, elapsedMs, resumedAt: this.#resumedAt }
    const failed = (error: unknown): void => {
      const thrown = error instanceof Error ? error : new Error(`onProgress threw ${error}`)
      this.#environment.onError(thrown, { resource: definition, phase: 'onProgress' })
    }
    try {
      const result: unknown = onProgress({ definition, storageVersion, ...reported })
      // The promise of an async function is not awaited.
      Promise.resolve(result).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

export function isFailure(outcome: ObjectOutcome): outcome is ObjectFailure {
  return typeof outcome === 'object'
}

function added(counts: MigrationCounts, outcomes: readonly ObjectOutcome[], more: number): MigrationCounts {
  const sums = { ...counts, listed: counts.listed + more }
  for (const outcome of outcomes) if (!isFailure(outcome)) sums[outcome] += 1
  return sums
}
