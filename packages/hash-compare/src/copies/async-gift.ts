/**
 * What to call a promise that a function gave which was to give its value at once; `undefined` for anything else. The promise is let go of:
 * that it rejects is nobody's trouble.
 */
export function asyncGift(given: unknown): 'a promise' | undefined {
  if (typeof (given as PromiseLike<unknown> | null | undefined)?.then !== 'function') return undefined
  Promise.resolve(given).catch(() => {})
  return 'a promise'
}
