import type { CachedInformer } from '@wherry/dynamic-cache'
import type { Registration } from '@wherry/informer'

/**
 * Resolves when a handler was told of the first state of its informer, or when there is none because the cache waits for the resource
 * (rules C3, D7). Rejects as `whenSynced` of the informer does, which says why where waiting is vain, or with the signal's reason.
 */
export async function untilTold(
  informer: CachedInformer<unknown>,
  registration: Registration,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await informer.whenSynced({ signal, orAbsent: true })
    if (!informer.isAbsent) await registration.whenSynced({ signal })
  } catch (error) {
    // The informer's error has it as its cause: a run that was stopped is known by it.
    throw signal?.aborted ? signal.reason : error
  }
}
