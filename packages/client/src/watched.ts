/**
 * Handles the result of a callback that is not awaited. If it is a promise that rejects, passes the error to `failed`: otherwise the process would end
 * (rule X9). Returns whether the result is a promise.
 */
export function watched(given: unknown, failed: (error: unknown) => void): boolean {
  if (typeof given !== 'object' || given === null) return false
  const { then } = given as { readonly then?: unknown }
  if (typeof then !== 'function') return false
  then.call(given, undefined, failed)
  return true
}

/** Passes no error on: for {@link watched}, if the promise itself is an error that is reported. */
export const ignored = (): void => {}

/** Calls a function of a user. `failed` receives its error, and that of its promise. */
export function callGuarded(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    watched(call(), failed)
  } catch (error) {
    failed(error)
  }
}
