/**
 * Does not wait for a callback's promise. Passes what it rejects with to `failed`: otherwise the process would end (rule X9).
 * Returns whether it is a promise.
 */
export function watched(given: unknown, failed: (error: unknown) => void): boolean {
  if (typeof given !== 'object' || given === null) return false
  const { then } = given as { readonly then?: unknown }
  if (typeof then !== 'function') return false
  then.call(given, undefined, failed)
  return true
}

/** Calls a function of a user. `failed` receives what it throws, and what its promise rejects with. */
export function callGuarded(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    watched(call(), failed)
  } catch (error) {
    failed(error)
  }
}
