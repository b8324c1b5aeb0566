import { tryDecodeJson } from './json.ts'
import type { TypeMeta } from './list-head.ts'
import { decodeLean } from './managed-fields.ts'
import { isSpace } from './scanner.ts'

const quote = 34
const closeBrace = 125

/**
 * Decodes items of a list. An item that does not begin with `kind` or `apiVersion` gets those of `type` (rule R20) as its first keys, so that
 * it has the key order, and in V8 the hidden class, of the same object from a watch. The item's own type has precedence.
 */
export class ItemDecoder {
  readonly #exact: boolean
  readonly #lean: boolean
  #prefix: string | undefined

  /** @param lean leaves `metadata.managedFields` out, unless integers must be exact */
  constructor(exact: boolean, lean = false) {
    this.#exact = exact
    this.#lean = lean && !exact
  }

  /** Sets the type of items without one; `undefined`: they stay without a type. */
  setType(type: TypeMeta | undefined): void {
    this.#prefix = type && `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(type.apiVersion)}`
  }

  /** Decodes the object in `bytes` from its `{` at `start` to `stop`; `undefined` if that is no whole object. */
  decode(bytes: Buffer, start: number, stop: number): object | undefined {
    let text: string
    if (this.#prefix === undefined) {
      text = bytes.toString('utf8', start, stop)
    } else {
      let first = start + 1
      while (first < stop && isSpace(bytes[first] as number)) first++
      if (bytes[first] === quote && namesType(bytes, first)) text = bytes.toString('utf8', start, stop)
      else {
        const separator = bytes[first] === closeBrace ? '' : ','
        text = `${this.#prefix}${separator}${bytes.toString('utf8', start + 1, stop)}`
      }
    }
    if (this.#lean) return decodeLean(text, itself)
    return tryDecodeJson(text, this.#exact) as object | undefined
  }
}

const itself = (object: object): object => object

function namesType(bytes: Buffer, at: number): boolean {
  switch (bytes[at + 1]) {
    case 97: // a
      return bytes.toString('latin1', at, at + 12) === '"apiVersion"'
    case 107: // k
      return bytes.toString('latin1', at, at + 6) === '"kind"'
    default:
      return false
  }
}
