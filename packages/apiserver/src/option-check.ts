/** The values that an option accepts. */
export interface Taken {
  /** Completes "takes …". */
  readonly takes: string
  readonly ok: (value: unknown) => boolean
  /** Whether the option is required. */
  readonly required?: boolean | undefined
}

/** The code of every error about an option. */
const code = 'ERR_WHERRY_OPTION'

/**
 * Refuses a value that is no object, unknown names, and values that are not taken: a `TypeError`, or a `RangeError` for a
 * number out of its bounds, with the code `ERR_WHERRY_OPTION`.
 */
export function checkFields(where: string, given: unknown, fields: Readonly<Record<string, Taken>>): void {
  if (typeof given !== 'object' || given === null) {
    throw Object.assign(new TypeError(`${where}: takes an object, not ${show(given)}`), { code })
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) throw Object.assign(new TypeError(`${where}: ${name} is not known`), { code })
  }
  for (const [name, { takes, ok, required }] of Object.entries(fields)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (value === undefined ? required !== true : ok(value)) continue
    const Wrong = typeof value === 'number' ? RangeError : TypeError
    throw Object.assign(new Wrong(`${where}: ${name} takes ${takes}, not ${show(value)}`), { code })
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? `[${value}]` : String(value)
}

/** A finite number of at least `least` and at most `most`. */
export function number(least = 0, most: number = Number.MAX_VALUE): Taken {
  return {
    takes: most === Number.MAX_VALUE ? `a number of ${least} or more` : `a number from ${least} to ${most}`,
    ok: value => typeof value === 'number' && value >= least && value <= most,
  }
}

/** A whole number of at least `least` and at most `most`. */
export function whole(least = 0, most: number = Number.MAX_SAFE_INTEGER): Taken {
  return {
    takes: most === Number.MAX_SAFE_INTEGER ? `an integer of ${least} or more` : `an integer from ${least} to ${most}`,
    ok: value => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  }
}

/** An option that accepts each of `values`. */
export function oneOf(...values: readonly string[]): Taken {
  return {
    takes: values.map(value => `'${value}'`).join(', '),
    ok: value => typeof value === 'string' && values.includes(value),
  }
}

export const text: Taken = { takes: 'a string', ok: value => typeof value === 'string' }
export const flag: Taken = { takes: 'true or false', ok: value => typeof value === 'boolean' }
export const call: Taken = { takes: 'a function', ok: value => typeof value === 'function' }
export const anything: Taken = { takes: 'anything', ok: () => true }

/** The same option, but required. */
export function required(taken: Taken): Taken {
  return { ...taken, required: true }
}
