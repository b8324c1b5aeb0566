import { OptionError } from '../options.ts'

/** An error as plain data, because structured clone would keep only its message. */
export interface PackedError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** The names of the error's classes, its own class first. */
  readonly classes: readonly string[]
  /** The error's own data, such as `code`. Values that are not plain are left out. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>
  readonly cause: PackedError | undefined
}

const known: ReadonlyMap<string, { readonly prototype: Error }> = new Map<string, { readonly prototype: Error }>([
  ['OptionError', OptionError],
  ['TypeError', TypeError],
  ['RangeError', RangeError],
  ['SyntaxError', SyntaxError],
])

export function packError(thrown: unknown): PackedError {
  if (!(thrown instanceof Error)) return packError(new Error(String(thrown)))
  const classes: string[] = []
  for (let at: unknown = Object.getPrototypeOf(thrown); at instanceof Object; at = Object.getPrototypeOf(at)) {
    classes.push(at.constructor.name)
  }
  const data = Object.entries(thrown).filter(
    ([, value]) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  )
  return {
    name: thrown.name,
    message: thrown.message,
    stack: thrown.stack,
    classes,
    data: Object.fromEntries(data),
    cause: thrown.cause === undefined ? undefined : packError(thrown.cause),
  }
}

/** Restores the error, as an instance of the nearest known class, with its message, code and stack. */
export function unpackError(packed: PackedError): Error {
  const error = new Error(packed.message, packed.cause && { cause: unpackError(packed.cause) })
  const nearest = packed.classes.find(name => known.has(name))
  const found = nearest === undefined ? undefined : known.get(nearest)
  if (found !== undefined) Object.setPrototypeOf(error, found.prototype)
  Object.assign(error, packed.data)
  // Not enumerable, as the class' own constructor makes these properties.
  Object.defineProperty(error, 'name', { value: packed.name, configurable: true, writable: true })
  Object.defineProperty(error, 'stack', { value: packed.stack, configurable: true, writable: true })
  return error
}
