import { addAll, goJson, goQuote, type Json } from '@wherry/cel/internal'
import { invalid, required, tooLong } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'

/** The problems of an object, in the order in which they were found. */
export class Causes {
  readonly #found: StatusCause[] = []
  #last: Causes | undefined

  get all(): readonly StatusCause[] {
    return this.#last === undefined ? this.#found : [...this.#found, ...this.#last.all]
  }

  /** The causes that a real server finds by the tags of its types. It reports them after all causes that its code finds. */
  get last(): Causes {
    this.#last ??= new Causes()
    return this.#last
  }

  add(causes: readonly StatusCause[]): void {
    addAll(this.#found, causes)
  }

  required(field: string, why = ''): void {
    this.#found.push(required(field, why))
  }

  /** Adds a cause for each reason for which `field` can't have the value. */
  invalid(field: string, value: Json | undefined, ...reasons: readonly string[]): void {
    for (const why of reasons) this.#found.push(invalid(field, value ?? null, why))
  }

  /** Adds a cause for a value that contradicts other fields. The value is not quoted. */
  contradicts(field: string, why: string): void {
    this.#found.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field })
  }

  tooLong(field: string, bytes: number): void {
    this.#found.push(tooLong(field, bytes))
  }

  tooMany(field: string, count: number, most: number): void {
    const message = `Too many: ${count}: must have at most ${most} items`
    this.#found.push({ reason: 'FieldValueTooMany', message, field })
  }

  forbidden(field: string, why: string): void {
    this.#found.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field })
  }

  duplicate(field: string, value: Json, why = ''): void {
    const shown = typeof value === 'string' ? goQuote(value) : JSON.stringify(value)
    const message = `Duplicate value: ${shown}${why === '' ? '' : `: ${why}`}`
    this.#found.push({ reason: 'FieldValueDuplicate', message, field })
  }

  notFound(field: string, value: string, why = ''): void {
    const message = `Not found: ${goQuote(value)}${why === '' ? '' : `: ${why}`}`
    this.#found.push({ reason: 'FieldValueNotFound', message, field })
  }

  unsupported(field: string, value: Json, known: readonly string[]): void {
    const supported = known.map(one => JSON.stringify(one)).join(', ')
    // A real server has types for these texts, and prints them as JSON.
    const shown = typeof value === 'string' ? goJson(value) : JSON.stringify(value)
    const message = `Unsupported value: ${shown}: supported values: ${supported}`
    this.#found.push({ reason: 'FieldValueNotSupported', message, field })
  }

  /** Checks a text that is required, and must be in `known`. */
  chosen(field: string, value: Json | undefined, known: readonly string[]): void {
    if (value === undefined || value === '') this.required(field)
    else if (!known.includes(value as string)) this.unsupported(field, value, known)
  }

  /** Adds a cause if a number is negative. The number is optional. */
  notNegative(field: string, value: Json | undefined): void {
    if (typeof value === 'number' && value < 0) {
      this.invalid(field, value, 'must be greater than or equal to 0')
    }
  }
}

/** Finds the problems of an object, without a look at its previous state. */
export type Check = (object: KubeObject, causes: Causes) => void

type Problems = (object: KubeObject, old: KubeObject | undefined) => StatusCause[]

/**
 * The `problems` of a resource that `check` validates. An object that `fill` stored never passed `check`, so an update of it is not refused for problems that
 * it had before.
 */
export function checked(check: Check): Problems {
  return (object, old) => {
    // A write of the status alone leaves the spec unchanged.
    if (old !== undefined && object.spec !== undefined && object.spec === old.spec) return []
    return added(check, object, old)
  }
}

/** The `problems` of a resource if `check` validates its status, in every write of the status. */
export function checkedStatus(check: Check): Problems {
  return (object, old) => (old === undefined || object.status === old.status ? [] : added(check, object, old))
}

/** The problems that `check` finds in an object and not in its previous state. */
function added(check: Check, object: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const now = found(check, object)
  if (now.length === 0 || old === undefined) return [...now]
  const before = new Set(found(check, old).map(cause => JSON.stringify(cause)))
  return now.filter(cause => !before.has(JSON.stringify(cause)))
}

function found(check: Check, object: KubeObject): readonly StatusCause[] {
  const causes = new Causes()
  check(object, causes)
  return causes.all
}

/** The `problems` of a resource if `check` validates only its new objects. */
export function checkedOnce(check: Check): Problems {
  return (object, old) => {
    return old === undefined ? [...found(check, object)] : []
  }
}

/** The `problems` of a resource if `check` validates only its updates. */
export function checkedUpdate(check: Check): Problems {
  return (object, old) => (old === undefined ? [] : added(check, object, old))
}

/** The `problems` of a resource that has all the problems of each of `all`, in this order. */
export function allOf(...all: readonly Problems[]): Problems {
  return (object, old) => all.flatMap(problems => problems(object, old))
}
