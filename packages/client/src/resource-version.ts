/** How one resourceVersion relates to another of the same resource and server. */
export type ResourceVersionOrder = 'older' | 'same' | 'newer' | 'unknown'

const decimal = /^[1-9][0-9]*$/

/**
 * How `a` relates to `b`, both of one resource of one server, as KEP-5504 says: decimal integers of
 * any length, compared by length and then by digits (rule R13). Where either is no such integer (`""`,
 * `"0"`, or what some aggregated APIs send) the order is `unknown`, even if the two are equal texts
 * of that kind: nothing is to be assumed then, and the object to be read again.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): ResourceVersionOrder {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return 'unknown'
  if (a === b) return 'same'
  const older = a.length === b.length ? a < b : a.length < b.length
  return older ? 'older' : 'newer'
}

/** Whether `a` is certainly newer than `b`, or the same: `false` where their order is not known. */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b)
  return order === 'newer' || order === 'same'
}
