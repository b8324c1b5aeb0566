/**
 * A promise that `begin` settles, later than it returns, or that is rejected with the signal's reason as soon as that is
 * aborted. `begin` gives what ends its work then; it is not called where the signal is aborted already.
 */
export function abortable<T = void>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const after =
      <A>(settle: (result: A) => void) =>
      (result: A): void => {
        signal?.removeEventListener('abort', aborted)
        settle(result)
      }
    const end = begin(after<T>(resolve), after(reject))
    const aborted = (): void => {
      end()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', aborted, { once: true })
  })
}
