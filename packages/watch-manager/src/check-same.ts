import { OptionRangeError, type View } from '@wherry/client'

/** Checks that two views of one key are the same view, and do not have different functions (rule D1). */
export function checkSame(option: string, held: View, given: View): void {
  const [one, other] = [held.projection, given.projection]
  if (one.project === other.project || one.selfNamed) return
  throw new OptionRangeError(
    option,
    'one projection of each name: define the view once, at module level',
    `another function for ${given.key}`,
  )
}
