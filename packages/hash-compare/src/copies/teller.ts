import type { Environment } from '@wherry/client'
import type { CopyEvent } from './copy-event.ts'

export interface TellerParts {
  readonly environment: Environment
  readonly onEvent: ((event: CopyEvent) => void) | undefined
  /** What failures are told to be of. */
  readonly resource: string
  /** Once it is aborted no event is told. */
  readonly signal: AbortSignal
}

/** Tells of work: events to `onEvent`, failures in the background to the environment. Never throws. */
export class Teller {
  readonly #of: TellerParts

  constructor(of: TellerParts) {
    this.#of = of
  }

  emit(event: CopyEvent): void {
    if (this.#of.signal.aborted) return
    try {
      this.#of.onEvent?.(event)
    } catch (error) {
      this.tell(error, 'onEvent', event.key)
    }
  }

  tell(thrown: unknown, phase: string, key?: string): void {
    this.#of.environment.onError(errorOf(thrown), { resource: this.#of.resource, phase, key })
  }
}

/** What was thrown, as an `Error`. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('what was thrown is no Error', { cause: thrown })
}
