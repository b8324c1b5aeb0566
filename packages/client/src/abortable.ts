/**
 * A promise that `begin` settles, or that rejects with the signal's reason as soon as the signal is aborted. `begin` returns a function that is called on the
 * abort and ends its work. `begin` is not called if the signal is aborted already.
 */
export function abortable<T = void>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    let isSettled = false
    const settled = (): void => {
      isSettled = true
      signal?.removeEventListener('abort', aborted)
    }
    const end = begin(
      value => {
        settled()
        resolve(value)
      },
      reason => {
        settled()
        reject(reason)
      },
    )
    function aborted(): void {
      end()
      reject(signal?.reason)
    }
    if (isSettled) return
    // `begin` may have aborted the signal itself.
    if (signal?.aborted) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
  })
}
