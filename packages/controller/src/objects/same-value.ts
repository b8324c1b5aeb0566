import { isDeepStrictEqual } from 'node:util'

/** Whether two values are equal. Values that are nested too deeply to be compared count as different. */
export function isSameValue(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
