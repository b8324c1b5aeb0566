/** How one resourceVersion relates to another of the same resource and server. */
export type ResourceVersionOrder = 'older' | 'same' | 'newer' | 'unknown'

const decimal = /^[1-9][0-9]*$/

/**
 * Compares two resourceVersions of one resource of one server, as KEP-5504 defines it: decimal integers of
 * any length, compared by length and then by digits (rule R13). If either is no such integer (`""`,
 * `"0"`, or a text of an aggregated API), the order is `unknown`, even if the texts are equal:
 * the caller must read the object again.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): ResourceVersionOrder {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return 'unknown'
  if (a === b) return 'same'
  const older = a.length === b.length ? a < b : a.length < b.length
  return older ? 'older' : 'newer'
}

/** Whether `a` is certainly newer than `b`, or the same. Returns false if their order is not known. */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b)
  return order === 'newer' || order === 'same'
}
