import {
  type ChangeType,
  type Clock,
  type ErrorContext,
  isForbidden,
  isUnauthorized,
  type MetricLabels,
} from '@wherry/client'
import {
  asError,
  Backoff,
  callGuarded,
  compareResourceVersions,
  InvalidBodyError,
  InvalidObjectError,
  type ReadTarget,
} from '@wherry/client/internal'
import type { PreparedReflector, ReflectorListeners, ReflectorSettings } from './options.ts'
import { type SnapshotFanOut, Writers, type WritersParts } from './writers.ts'

/** Counters of a reflector since its creation. */
export interface ReflectorStats {
  /** Lists and streaming lists that were begun. */
  readonly lists: number
  /** The number of opened watches, including streaming lists. */
  readonly watches: number
  /** The number of lists that replaced an earlier state. */
  readonly relists: number
  /** The number of relists that may be older than the state before (rule R5). */
  readonly rollbacks: number
  /** The number of events of watches, without initial events. */
  readonly events: number
  /** The bytes of objects, as received. */
  readonly bytes: number
}

/** The operation that a phase waits for. It is an object that exists anyway, because an AbortSignal for each would cost a kilobyte. */
export interface UnderWay {
  /** Ends the operation, because the reflector was stopped. */
  interrupt(): void
  /** Ends the operation with an error that only a list can mend. */
  fail?(error: Error): void
  /** Ends the operation, so that all objects are listed again. */
  relist?(): void
}

interface Metadata {
  readonly metadata: { readonly resourceVersion?: unknown }
}

/**
 * A kind of failure that is counted while it repeats. `limits` in transitions.ts has the consequences.
 *
 * - `streamingList`: a streaming list that did not reach its end. A complete streaming list restarts the count, a list does not (rule R11).
 * - `watch`: a watch that failed, or ended soon without an event. An event, a bookmark, a list
 *   and a watch that lasted restart the count (rules R14, R15, R18).
 * - `unreadable`: an answer or a line that can't be read. An event and a clean end restart the count (rule R20).
 */
export type FailureKind = 'streamingList' | 'watch' | 'unreadable'

/** The state that the phases of a reflector share: its resourceVersion, its writers and its failures. */
export class ReflectorContext implements WritersParts {
  readonly settings: ReflectorSettings
  readonly target: ReadTarget
  readonly on: ReflectorListeners
  readonly clock: Clock
  readonly writers: Writers
  /** Whether the reflector was stopped. */
  stopped = false
  underWay: UnderWay | undefined
  readonly stats = { lists: 0, watches: 0, relists: 0, rollbacks: 0, events: 0, bytes: 0 }
  /** Whether the first request has failed or ended, so that the next one is a repetition. */
  isAgain = false
  /** Whether a writer could not be filled, so that the next request must be a list. */
  isUnfilled = false
  /** The resourceVersion of the last list, event or bookmark; `undefined` without a state. */
  resourceVersion: string | undefined
  lastError: Error | undefined
  /** Whether it was proved that the server does not serve the resource, and no whole state was read since (rules D7, D8). */
  isMissing = false
  /** Whether a list from the cache came in pages: this resource has no watch cache (rule R2). */
  inPages = false
  /** How often in a row each kind of failure has occurred. */
  readonly failures: Record<FailureKind, number> = { streamingList: 0, watch: 0, unreadable: 0 }
  /** Items and events that were left out since a whole state began to be read. */
  strays = 0
  /** The last time at which a list or a check succeeded, or a watch that has ended received something, on the monotonic clock (rule R21). */
  receivedAt = 0

  /** How often {@link ReflectorContext.doubt} was called: in all, before the last committed list began, and before the list under way began. */
  #doubts = 0
  #answered = 0
  #asked = 0
  #backoff: Backoff | undefined

  constructor({ settings, target, on }: PreparedReflector) {
    this.settings = settings
    this.target = target
    this.on = on
    this.clock = settings.environment.clock
    this.writers = new Writers(this)
  }

  /** Made with the first failure. */
  get backoff(): Backoff {
    this.#backoff ??= new Backoff(this.settings.environment)
    return this.#backoff
  }

  /** Whether the server's objects may differ from the stored ones although no resourceVersion does. */
  get isDoubted(): boolean {
    return this.#doubts !== this.#answered
  }

  /** Records that the server's objects may differ from the stored ones. Only a list that begins after the call settles that. */
  doubt(): void {
    this.#doubts += 1
  }

  /** Begins a list that is not older than `resourceVersion`. If it may be older than the stores, no stored object is reused (rule R5). */
  read(resourceVersion: string): SnapshotFanOut {
    this.isUnfilled = false
    this.#asked = this.#doubts
    this.strays = 0
    const reuse = resourceVersion !== '' || this.resourceVersion === undefined
    return this.writers.replace({ reuse })
  }

  /** An event of the live watch. */
  change(type: ChangeType, object: object, bytes: number): void {
    const { stats } = this
    stats.events += 1
    stats.bytes += bytes
    const { resourceVersion } = (object as Metadata).metadata
    if (typeof resourceVersion === 'string' && resourceVersion !== '') this.#advance(resourceVersion)
    this.failures.watch = 0
    this.failures.unreadable = 0
    this.writers.change(type, object, bytes)
  }

  /** The watch has shown all changes up to `resourceVersion` (rule R19). A bookmark that goes back is reported and skipped (rule R20). */
  bookmark(resourceVersion: string): void {
    if (!this.#advance(resourceVersion)) {
      const why = 'a bookmark is older than what the watch has shown'
      return this.skipped(new InvalidObjectError(this.target.resource, why), 'watch')
    }
    this.failures.watch = 0
    this.gauge('reflector_last_resource_version', Number(resourceVersion))
    this.writers.progress(resourceVersion)
  }

  /** Moves the place in history forward. Only a whole state may move it back. Returns false if `resourceVersion` is older. */
  #advance(resourceVersion: string): boolean {
    const isOlder = compareResourceVersions(resourceVersion, this.resourceVersion) === 'older'
    if (!isOlder) this.resourceVersion = resourceVersion
    return !isOlder
  }

  /**
   * Throws if a list is older than `asked`, although the request forbids that (NotOlderThan): such a list is no proof of which objects
   * are gone (rule X14).
   */
  checkAge(resourceVersion: string, asked: string): void {
    if (asked === '' || asked === '0' || compareResourceVersions(resourceVersion, asked) !== 'older') return
    throw new InvalidBodyError('the state is older than the one asked for', { method: 'GET', ...this.target })
  }

  /** Commits a list to the stores. `newest`: the list had no bound on its age, so the stores may go back in time by it. */
  commit(reading: SnapshotFanOut, resourceVersion: string, newest: boolean): void {
    if (this.resourceVersion !== undefined) {
      this.stats.relists += 1
      this.count('reflector_relists_total')
      const order = compareResourceVersions(resourceVersion, this.resourceVersion)
      if (order === 'older' || (newest && order === 'unknown')) {
        this.stats.rollbacks += 1
        this.count('reflector_rollbacks_total')
      }
    }
    this.resourceVersion = resourceVersion
    this.#answered = this.#asked
    this.receivedAt = this.clock.monotonic()
    this.failures.watch = 0
    this.gauge('reflector_last_resource_version', Number(resourceVersion))
    reading.commit(resourceVersion)
    this.notify(() => this.on.synced?.(resourceVersion))
    if (!this.stopped) this.writers.resume()
  }

  /** Clears all writers, because the resource is gone, and reports the errors of writers. */
  clear(): void {
    try {
      this.writers.clear()
    } catch (error) {
      this.report(asError(error, 'a store threw'), 'list')
    }
  }

  /** Records a failure. `background`: report it to `onError` too. */
  fail(error: Error, phase: 'list' | 'watch', background = true): void {
    // A missing permission is reported once, because the retries may go on for ever.
    const isReported = [isForbidden, isUnauthorized].some(is => is(error) && is(this.lastError))
    this.lastError = error
    this.isAgain = true
    if (background && !isReported) this.report(error, phase)
    this.notify(() => this.on.error?.(error))
  }

  /**
   * Handles an item or event that was left out (rule R20). Reports the first ten since the last list began, and after them
   * the hundredth, the thousandth and so on, each with the number so far.
   */
  skipped(error: InvalidObjectError, phase: 'list' | 'watch'): void {
    this.strays += 1
    if (this.strays <= 10) this.report(error, phase)
    else if (Number.isInteger(Math.log10(this.strays))) this.report(error, phase, this.strays)
  }

  report(error: Error, phase: string, count = 1): void {
    const { resource } = this.target
    const context: ErrorContext = count === 1 ? { resource, phase } : { resource, phase, count }
    this.settings.environment.onError(error, context)
  }

  /** Calls a listener of the owner. Its error, or that of its promise, goes only to `onError`. */
  notify(call: () => unknown): void {
    if (this.stopped) return
    callGuarded(call, error => this.report(asError(error, 'a listener threw'), 'listener'))
  }

  /** The label `name` of its metrics. */
  get name(): string {
    return this.settings.name ?? this.target.resource
  }

  count(metric: string): void {
    this.settings.environment.metrics.count(metric, this.#labels)
  }

  observe(metric: string, value: number): void {
    this.settings.environment.metrics.observe(metric, value, this.#labels)
  }

  gauge(metric: string, value: number): void {
    if (Number.isFinite(value)) this.settings.environment.metrics.gauge(metric, value, this.#labels)
  }

  get #labels(): MetricLabels {
    return { name: this.name }
  }

  /** How many seconds a watch is asked to last. */
  timeoutSeconds(): number {
    const { environment, timeoutSeconds } = this.settings
    const { min, max } = timeoutSeconds
    return min + Math.floor(environment.random() * (max - min + 1))
  }

  /** Handles a writer that could not be filled: only a list can fill it. */
  backfillFailed(error: unknown): void {
    const failure = asError(error, 'a writer could not be filled')
    this.isUnfilled = true
    if (this.underWay?.fail === undefined) this.report(failure, 'list')
    else this.underWay.fail(failure)
  }
}
