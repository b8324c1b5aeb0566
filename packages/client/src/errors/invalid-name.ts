/**
 * A name, namespace, plural, label key or label value that no API server takes. Thrown before any request, because an empty name in a path would
 * turn a get into a list, and a delete into a delete of all objects.
 *
 * @example
 * ```ts
 * import { Client, InvalidNameError } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * try {
 *   await client.delete(pods, { name: process.argv[2] ?? '', namespace: 'arcade' })
 * } catch (error) {
 *   if (!(error instanceof InvalidNameError)) throw error
 *   console.error(error.message) // the name of pods "" must not be empty
 * }
 * ```
 */
export class InvalidNameError extends RangeError {
  override readonly name = 'InvalidNameError'
  readonly code = 'INVALID_NAME'
  /** What the value is: `name`, `namespace`, `plural`, `label key`, … */
  readonly what: string
  /** The value as given. */
  readonly value: unknown

  /** @param of the plural of a resource, such as `pods`, if the name was for an object */
  constructor(what: string, value: unknown, why: string, of?: string | undefined) {
    const subject = of === undefined ? what : `the ${what} of ${of}`
    super(value === undefined ? `${subject} is missing` : `${subject} ${show(value)} ${why}`)
    this.what = what
    this.value = value
  }
}

function show(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : `of type ${typeof value}`
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
}
