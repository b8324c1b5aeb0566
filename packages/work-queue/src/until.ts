/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason)
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}
