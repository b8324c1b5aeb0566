import type { Environment } from '@wherry/client'
import { ignored, watched } from '@wherry/client/internal'
import type { RateLimiter } from '@wherry/work-queue'
import { attempt } from '../sources/controller-source.ts'

/** How long a key waits if the limiter does not say, in milliseconds. */
const unsaidMs = 1000

/** A limiter that never throws (rule X9). If the user's limiter throws, or returns a value that is not a time, it reports that, and the key waits a second. */
export function guardedLimiter(
  limiter: RateLimiter<string>,
  environment: Environment,
  controller: string,
): RateLimiter<string> {
  const guard = <T>(key: string, call: () => T, otherwise: T): T =>
    attempt(() => synchronous(call()), otherwise, environment, { phase: `${controller} rateLimiter`, key })
  const when = (key: string, now: number, due: number | undefined): number => {
    const ms = synchronous(limiter.when(key, now, due))
    if (Number.isFinite(ms) && ms >= 0) return ms
    throw new RangeError(`a rate limiter gives milliseconds, 0 or more, not ${ms}`)
  }
  return {
    when: (key, now, due) => guard(key, () => when(key, now, due), unsaidMs),
    forget: key => guard(key, () => limiter.forget(key), undefined),
    failures: key => guard(key, () => limiter.failures(key), 0),
  }
}

/** @throws TypeError for a promise, because no call of a limiter is awaited. Its rejection must not end the process. */
function synchronous<T>(result: T): T {
  if (watched(result, ignored)) throw new TypeError('a rate limiter is synchronous, and this one returned a promise')
  return result
}
