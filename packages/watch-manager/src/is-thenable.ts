/** Whether a result is a promise of any kind. */
export function isThenable(result: unknown): result is PromiseLike<unknown> {
  return (
    result !== null &&
    (typeof result === 'object' || typeof result === 'function') &&
    typeof (result as { then?: unknown }).then === 'function'
  )
}
