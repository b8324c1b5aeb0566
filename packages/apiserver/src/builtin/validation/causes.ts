import type { Json } from '@wherry/cel/internal'
import { invalid, required } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'

/** The problems of an object, in the order in which they were found. */
export class Causes {
  readonly #found: StatusCause[] = []
  #last: Causes | undefined

  get all(): readonly StatusCause[] {
    return this.#last === undefined ? this.#found : [...this.#found, ...this.#last.all]
  }

  /** What a real server finds by the tags of its types. It reports these after all that its code finds. */
  get last(): Causes {
    this.#last ??= new Causes()
    return this.#last
  }

  add(causes: readonly StatusCause[]): void {
    this.#found.push(...causes)
  }

  required(field: string, why = ''): void {
    this.#found.push(required(field, why))
  }

  /** A cause for each reason why `field` can't have the value. */
  invalid(field: string, value: Json | undefined, ...reasons: readonly string[]): void {
    for (const why of reasons) this.#found.push(invalid(field, value ?? null, why))
  }

  /** A value that is not quoted: it contradicts other fields. */
  contradicts(field: string, why: string): void {
    this.#found.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field })
  }

  forbidden(field: string, why: string): void {
    this.#found.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field })
  }

  duplicate(field: string, value: Json): void {
    this.#found.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(value)}`, field })
  }

  notFound(field: string, value: string): void {
    this.#found.push({ reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(value)}`, field })
  }

  unsupported(field: string, value: Json, known: readonly string[]): void {
    const supported = known.map(one => JSON.stringify(one)).join(', ')
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`
    this.#found.push({ reason: 'FieldValueNotSupported', message, field })
  }

  /** A text that is required, and must be one of `known`. */
  oneOf(field: string, value: Json | undefined, known: readonly string[]): void {
    if (value === undefined || value === '') this.required(field)
    else if (!known.includes(value as string)) this.unsupported(field, value, known)
  }

  /** A number that may be left out. */
  notNegative(field: string, value: Json | undefined): void {
    if (typeof value === 'number' && value < 0) {
      this.invalid(field, value, 'must be greater than or equal to 0')
    }
  }
}

/** Finds the problems of an object, whatever it was before. */
export type Check = (object: KubeObject, causes: Causes) => void

type Problems = (object: KubeObject, old: KubeObject | undefined) => StatusCause[]

/**
 * The `problems` of a resource that `check` validates. A stored object passed it once, but for one that `fill` stored: an
 * update of such an object is not refused for problems that it had before.
 */
export function checked(check: Check): Problems {
  return (object, old) => {
    // A write of the status alone keeps the rest as it is.
    if (old !== undefined && object.spec !== undefined && object.spec === old.spec) return []
    return added(check, object, old)
  }
}

/** The `problems` of a resource if `check` validates its status, in every write of it. */
export function checkedStatus(check: Check): Problems {
  return (object, old) => (old === undefined || object.status === old.status ? [] : added(check, object, old))
}

/** What `check` finds of an object that it did not find of the one before. */
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

/** The `problems` of a new object of a resource that does not pass `check`. */
export function checkedOnce(check: Check): Problems {
  return (object, old) => {
    return old === undefined ? [...found(check, object)] : []
  }
}

/** The `problems` of a resource that are those of each of `all`, in this order. */
export function allOf(...all: readonly Problems[]): Problems {
  return (object, old) => all.flatMap(problems => problems(object, old))
}
