/**
 * The object to be sent has a number that JSON or a JavaScript number does not hold exactly: an integer beyond 2^53 − 1 (also `1e21`), which may
 * have been rounded when it was read, or a number that is not finite, which JSON turns into `null`. Read it through an `exact()` view and send a
 * `bigint` (rule X11).
 *
 * Also thrown if an `exact()` view reads a number that JavaScript can't hold, such as `1e9999`.
 *
 * @example
 * ```ts
 * import { Client, defineResource, InexactNumberError, type ObjectMeta } from '@wherry/client'
 *
 * interface Score { metadata?: ObjectMeta; points: number }
 * const scores = defineResource<Score>({ group: 'example.com', version: 'v1', kind: 'Score', plural: 'scores', namespaced: true })
 * const client = await Client.connect()
 * try {
 *   await client.create(scores, { metadata: { name: 'best', namespace: 'arcade' }, points: 2 ** 60 })
 * } catch (error) {
 *   if (!(error instanceof InexactNumberError)) throw error
 *   console.error(error.path) // points: send it through scores.exact(), as 2n ** 60n
 * }
 * ```
 */
export class InexactNumberError extends RangeError {
  override readonly name = 'InexactNumberError'
  readonly code = 'INEXACT_NUMBER'
  /** The path of the number: `spec.ports[0].number`. */
  readonly path: string

  constructor(path: string) {
    super(`the number at ${path === '' ? 'the top' : path} is not exact: integers beyond 2^53 - 1 are sent as bigint`)
    this.path = path
  }
}

/** @throws InexactNumberError that names the first inexact number in `value` */
export function checkExact(value: unknown): void {
  const path = findInexact(value)
  if (path !== undefined) throw new InexactNumberError(path.reverse().join('').replace(/^\./, ''))
}

/** The path to the first inexact number, the innermost step first; `undefined` if there is none. */
function findInexact(value: unknown): string[] | undefined {
  if (typeof value === 'number') {
    const isHeld = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
    return isHeld ? undefined : []
  }
  if (value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const path = findInexact(value[i])
      if (path !== undefined) return [...path, `[${i}]`]
    }
    return undefined
  }
  for (const [key, held] of Object.entries(value)) {
    const path = findInexact(held)
    if (path !== undefined) return [...path, step(key)]
  }
  return undefined
}

function step(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
