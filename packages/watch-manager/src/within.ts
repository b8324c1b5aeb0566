import type { Clock } from '@wherry/client'

/** How long the end of something is waited for. */
export interface WaitBounds {
  readonly ms: number
  readonly signal?: AbortSignal | undefined
}

/** Waits for `done`, no longer than the bounds say. False: it was not done by then. */
export function within(done: Promise<unknown>, clock: Clock, { ms, signal }: WaitBounds): Promise<boolean> {
  return new Promise(resolve => {
    const over = (inTime: boolean): void => {
      timer?.cancel()
      signal?.removeEventListener('abort', late)
      resolve(inTime)
    }
    const late = (): void => over(false)
    const timer = Number.isFinite(ms) ? clock.timer(ms, late) : undefined
    signal?.addEventListener('abort', late, { once: true })
    const inTime = (): void => over(true)
    done.then(inTime, inTime)
    // What is done already, or is just coming to its end, is done in time.
    if (signal?.aborted) clock.turn().then(late)
  })
}
