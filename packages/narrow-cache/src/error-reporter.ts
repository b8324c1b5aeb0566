import { type Environment, type ErrorContext, isExpired, isResourceNotFound, isTooLarge } from '@wherry/client'
import { isForTheCaller } from '@wherry/informer/parts'
import { NarrowWatchRefusedError } from './errors.ts'

/** The resource whose watches fail. */
export interface ErrorReporterOptions {
  readonly resource: string
  readonly shared: {
    readonly environment: Pick<Environment, 'onError'>
    tell(error: Error, about: ErrorContext): void
    count(metric: string, resource: string): void
  }
}

/**
 * Tells `onError` of what fails for one entry: each failure, but for what happens to every watch; a refusal once, until it
 * is lifted (rule N10).
 */
export class ErrorReporter {
  readonly #kind: ErrorReporterOptions
  readonly #key: string
  #isRefusalTold = false

  /** @param key `namespace/name` */
  constructor(kind: ErrorReporterOptions, key: string) {
    this.#kind = kind
    this.#key = key
  }

  failed(error: Error): void {
    const { shared, resource } = this.#kind
    const about = { resource, phase: 'watch', key: this.#key }
    if (!isForTheCaller(error)) {
      if (!isExpired(error) && !isTooLarge(error)) shared.tell(error, about)
      return
    }
    if (this.#isRefusalTold) return
    this.#isRefusalTold = true
    shared.count('wherry_narrow_refused_total', resource)
    const refusal = isResourceNotFound(error) ? error : new NarrowWatchRefusedError(resource, this.#key, error)
    shared.environment.onError(refusal, about)
  }

  /** It can be watched again. */
  lifted(): void {
    this.#isRefusalTold = false
  }
}
