import type { Clock } from '@wherry/client'
import { anySignal } from '@wherry/client/internal'
import type { CachedInformer } from '@wherry/dynamic-cache'
import { isAnswer } from '@wherry/informer/internal'

/** The interval of the checks of the server's answers, and the wait after a first refusal, in milliseconds. */
const [lookMs, refusedMs] = [500, 5000]

/**
 * Waits for the first state of an informer. Rejects with the server's error if the server refuses that state: after the second
 * refusal, or a while after the first. Without any answer, it keeps waiting.
 */
export async function unlessRefused(
  informer: Pick<CachedInformer<unknown>, 'hasSynced' | 'lastError'>,
  clock: Clock,
  signal: AbortSignal | undefined,
  wait: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const refused = new AbortController()
  let first: { readonly error: unknown; readonly at: number } | undefined
  const look = (): void => {
    const { hasSynced, lastError } = informer
    if (!hasSynced && isAnswer(lastError)) {
      first ??= { error: lastError, at: clock.monotonic() }
      if (lastError !== first.error || clock.monotonic() - first.at >= refusedMs) return refused.abort(lastError)
    }
    timer = clock.timer(lookMs, look)
  }
  let timer = clock.timer(0, look)
  try {
    await wait(anySignal(signal, refused.signal))
  } catch (error) {
    throw refused.signal.aborted && signal?.aborted !== true ? refused.signal.reason : error
  } finally {
    timer.cancel()
  }
}
