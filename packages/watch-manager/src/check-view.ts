import { OptionRangeError, OptionTypeError, type View } from '@wherry/client'

/** A view, or an error that says so. */
export function checkView(option: string, value: unknown): void {
  const view = value as Partial<View> | null | undefined
  const parts = [view?.resource, view?.projection, view?.within]
  if (typeof view?.key !== 'string' || parts.some(part => part === undefined)) {
    throw new OptionTypeError(option, 'a view, such as a resource', value === null ? 'null' : `a ${typeof value}`)
  }
}

/** Two views of one key are one view, unless each brings a function of its own (rule D1). */
export function checkSame(option: string, held: View, given: View): void {
  const [one, other] = [held.projection, given.projection]
  if (one.project === other.project || one.selfNamed) return
  throw new OptionRangeError(
    option,
    'one projection of each name: define the view once, at module level',
    `another function for ${given.key}`,
  )
}
