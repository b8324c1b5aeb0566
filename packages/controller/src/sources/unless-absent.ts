import { type Clock, sleep, type View } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'

/** How often it is asked whether a view's resource is one that the server does not know, in milliseconds. */
const missingMs = 100

/**
 * Resolves when what is waited for is there, or when it turns out that all that it waits for is absent by choice (rules C3, D7).
 * Rejects as `wait` does, or with the signal's reason.
 */
export async function unlessAbsent(
  wait: (signal: AbortSignal) => Promise<void>,
  isAbsent: () => boolean | Promise<boolean>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController()
  const ended = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  const heard = wait(ended)
  const absent = (async () => {
    do await sleep(clock, missingMs, ended)
    while (!(await isAbsent()))
  })()
  try {
    await Promise.race([heard, absent])
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    heard.catch(() => {})
    absent.catch(() => {})
    over.abort(new Error('the wait is over'))
  }
}

/** Whether the server does not know the resource of a view, and that is to be waited for (rule D7). */
export function isAbsentByChoice(cache: DynamicCache, { key }: View): boolean {
  return cache
    .report()
    .informers.some(({ view, state, whenUnknown }) => view === key && state === 'missing' && whenUnknown === 'wait')
}
