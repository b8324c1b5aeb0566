import { checkOptions, integer } from '../errors/check.ts'
import { OptionRangeError } from '../errors/option.ts'

/** Which part of all objects, if these are divided into equal parts. */
export interface ShardInput {
  /** Which part: 0 for the first. */
  readonly index: number
  /** How many parts there are: 1 to 1024. */
  readonly of: number
}

/**
 * A part of all objects: those with a hash in its range. The ranges of all parts are of equal length. The hash is that of the server's sharded lists and
 * watches (KEP-5866): FNV-1a with 64 bits, of the object's uid. The hashes of names would not do: names that differ only in their last letters are in the same
 * range.
 */
export class Shard {
  readonly index: number
  readonly of: number
  /** The `shardSelector` of requests. */
  readonly selector: string
  /** The start and the end of the range, each as its upper and its lower 32 bits. The end is excluded; `undefined`: there is none. */
  readonly #start: readonly [number, number]
  readonly #end: readonly [number, number] | undefined

  private constructor(index: number, of: number) {
    this.index = index
    this.of = of
    const [start, end] = [boundary(index, of), boundary(index + 1, of)]
    this.selector = `shardRange(object.metadata.uid, '${hex(start)}', '${hex(end)}')`
    this.#start = halves(start)
    this.#end = index + 1 === of ? undefined : halves(end)
  }

  /** @throws OptionTypeError, OptionRangeError */
  static of(input: ShardInput, option: string): Shard {
    checkOptions(option, input, { index: integer(0), of: integer(1) }, ['index', 'of'])
    const { index, of } = input
    if (of > mostShards) throw new OptionRangeError(`${option}.of`, `1 to ${mostShards}`, `${of}`)
    if (index >= of) throw new OptionRangeError(`${option}.index`, `0 to ${of - 1}, since there are ${of}`, `${index}`)
    return new Shard(index, of)
  }

  has(uid: string): boolean {
    const hash = fnv1a(uid)
    return !isBefore(hash, this.#start) && (this.#end === undefined || isBefore(hash, this.#end))
  }

  toString(): string {
    return `${this.index}-of-${this.of}`
  }
}

const mostShards = 1024

function boundary(index: number, of: number): bigint {
  return ((1n << 64n) * BigInt(index)) / BigInt(of)
}

/** A boundary in the server's form: 16 digits, but 17 for the end of the last part. */
function hex(boundary: bigint): string {
  return `0x${boundary.toString(16).padStart(16, '0')}`
}

function halves(value: bigint): readonly [number, number] {
  return [Number(value >> 32n), Number(value & 0xffffffffn)]
}

function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

/** The hash of a text of ASCII, as uids are: its upper and its lower 32 bits. */
function fnv1a(text: string): readonly [number, number] {
  let [high, low] = [0xcbf29ce4, 0x84222325]
  for (let i = 0; i < text.length; i++) {
    const mixed = (low ^ text.charCodeAt(i)) >>> 0
    // The prime is 2^40 + 0x1b3. This product is below 2^53, so it is exact.
    const product = mixed * 0x1b3
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (mixed << 8)) >>> 0
    low = product >>> 0
  }
  return [high, low]
}
