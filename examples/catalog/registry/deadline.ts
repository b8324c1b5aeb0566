import { RegistryError } from './errors.ts'

/**
 * Does something with a signal that aborts after so many milliseconds, or with the signal that is given. However the registry spends that
 * time, whether it is silent or sends a byte now and then, it ends with a RegistryError `TooSlow`.
 */
export async function withDeadline<T>(
  what: string,
  ms: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const error = new RegistryError('TooSlow', `${what} did not come within ${ms} ms`)
  const timer = setTimeout(() => deadline.abort(error), ms)
  const both = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal])
  try {
    return await run(both)
  } catch (thrown) {
    throw deadline.signal.aborted ? error : thrown
  } finally {
    clearTimeout(timer)
  }
}
