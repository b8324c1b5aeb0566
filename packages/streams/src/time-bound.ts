import { type Client, type RequestInfo, TimeoutError } from '@wherry/client'

/** Runs `run` with a signal that is aborted with that of the caller, or with a `TimeoutError` after `timeoutMs`. */
export async function withTimeout<T>(
  client: Client,
  given: AbortSignal | undefined,
  timeoutMs: number,
  about: RequestInfo,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  given?.throwIfAborted()
  const controller = new AbortController()
  const passOn = (): void => controller.abort(given?.reason)
  given?.addEventListener('abort', passOn, { once: true })
  const timer = Number.isFinite(timeoutMs)
    ? client.environment.clock.timer(timeoutMs, () => controller.abort(new TimeoutError(timeoutMs, about)))
    : undefined
  try {
    return await run(controller.signal)
  } finally {
    timer?.cancel()
    given?.removeEventListener('abort', passOn)
  }
}
