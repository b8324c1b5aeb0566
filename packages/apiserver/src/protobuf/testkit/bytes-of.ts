/** A message by its numbers: a text, a whole number, a message or its bytes each, or a list of these. */
export interface Parts {
  readonly [number: number]: string | number | Parts | Buffer | readonly (string | Parts)[]
}

/** An object as Go's clients send it in protobuf. */
export function bytesOf(kind: string, apiVersion: string, parts: Parts): Buffer {
  const head = message({ 1: apiVersion, 2: kind })
  return Buffer.concat([Buffer.from('k8s\0'), field(1, head), field(2, message(parts))])
}

/** The bytes of a message. */
export function message(parts: Parts): Buffer {
  return Buffer.concat(
    Object.entries(parts).flatMap(([number, given]) =>
      (Array.isArray(given) ? given : [given]).map(one => field(+number, one)),
    ),
  )
}

function field(number: number, value: string | number | Parts | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  const bytes = Buffer.isBuffer(value) ? value : typeof value === 'string' ? Buffer.from(value) : message(value)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
