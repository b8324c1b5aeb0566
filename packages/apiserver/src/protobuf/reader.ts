/** Thrown if bytes are no message: they end too early, or contain an unknown type. */
export class ProtobufError extends Error {}

/** A field of a message, as read from its bytes. */
export interface RawField {
  readonly number: number
  /** The bits of an integer or a double, or the bytes of a text, bytes or a message. */
  readonly value: bigint | Uint8Array
}

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** The fields of a message, in their order. @throws ProtobufError if the bytes are no message */
export function* fieldsOf(bytes: Uint8Array): Generator<RawField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (length: number): number => {
    if (length > bytes.length - at) throw new ProtobufError('unexpected EOF')
    at += length
    return at - length
  }
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[take(1)] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new ProtobufError('proto: integer overflow')
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = Math.floor(tag / 8)
    const wire = tag % 8
    if (number === 0) throw new ProtobufError(`proto: illegal tag ${number} (wire type ${wire})`)
    if (wire === VARINT) yield { number, value: varint() }
    else if (wire === FIXED_64) yield { number, value: view.getBigUint64(take(8), true) }
    else if (wire === FIXED_32) yield { number, value: BigInt(view.getUint32(take(4), true)) }
    else if (wire === BYTES) {
      const length = Number(varint())
      const start = take(length)
      yield { number, value: bytes.subarray(start, start + length) }
    } else throw new ProtobufError(`proto: illegal wireType ${wire}`)
  }
}
