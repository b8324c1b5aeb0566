import { InexactIntegerError, NotJsonError } from '../errors.ts'
import { type Integers, isExactNumber, isPlainObject, maxDepth } from './json-rules.ts'
import { sortedKeys } from './key-order.ts'
import { pointer } from './pointer.ts'

/**
 * Returns an error for the first part of `value` that can't be printed, in the order of the output. Walks the value a second time,
 * so that the writer need not track the path of a valid value.
 */
export function problemOf(value: unknown, integers: Integers): NotJsonError | InexactIntegerError {
  return new Search(integers).look(value, '') ?? new NotJsonError('', 'it changed while it was read')
}

class Search {
  readonly #integers: Integers
  /** The objects and lists that contain the present value. */
  readonly #around = new Set<object>()

  constructor(integers: Integers) {
    this.#integers = integers
  }

  look(value: unknown, path: string): NotJsonError | InexactIntegerError | undefined {
    switch (typeof value) {
      case 'string':
        return value.isWellFormed() ? undefined : new NotJsonError(path, 'a string with a lone surrogate')
      case 'number':
        if (isExactNumber(value)) return undefined
        return Number.isFinite(value) ? new InexactIntegerError(path) : new NotJsonError(path, `${value}`)
      case 'boolean':
        return undefined
      case 'bigint':
        return this.#integers === 'bigint' ? undefined : new NotJsonError(path, "a bigint, without integers: 'bigint'")
      case 'object':
        return value === null ? undefined : this.#enter(value, path)
      default:
        return new NotJsonError(path, value === undefined ? 'undefined' : `a ${typeof value}`)
    }
  }

  #enter(value: object, path: string): NotJsonError | InexactIntegerError | undefined {
    if (this.#around.has(value)) return new NotJsonError(path, 'a cycle: it holds itself')
    // A cycle that is longer than the bound is reported as too deep, which is true as well.
    if (this.#around.size === maxDepth) return new NotJsonError(path, `nested more than ${maxDepth} levels deep`)
    this.#around.add(value)
    const found = Array.isArray(value) ? this.#list(value, path) : this.#object(value, path)
    this.#around.delete(value)
    return found
  }

  #list(list: readonly unknown[], path: string): NotJsonError | InexactIntegerError | undefined {
    for (let i = 0; i < list.length; i++) {
      const found = this.look(list[i], pointer(path, i))
      if (found !== undefined) return found
    }
    return undefined
  }

  #object(object: object, path: string): NotJsonError | InexactIntegerError | undefined {
    if (!isPlainObject(object)) {
      // A rejection of a promise is ignored, because the promise itself is an error.
      Promise.resolve(object).catch(() => {})
      const { name } = (object.constructor ?? {}) as { readonly name?: unknown }
      return new NotJsonError(path, typeof name === 'string' ? `an object of class ${name}` : 'an object of a class')
    }
    for (const key of sortedKeys(object)) {
      const held = (object as Record<string, unknown>)[key]
      if (held === undefined) continue
      if (!key.isWellFormed()) return new NotJsonError(path, 'a key with a lone surrogate')
      const found = this.look(held, pointer(path, key))
      if (found !== undefined) return found
    }
    return undefined
  }
}
