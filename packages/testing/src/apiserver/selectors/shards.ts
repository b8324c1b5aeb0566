import { StatusError } from '../status.ts'

/** A parsed shard selector (KEP-5866): hash ranges, start included, end excluded, over one field. */
export interface ShardSelector {
  readonly text: string
  matches(object: { readonly uid: string; readonly namespace: string }): boolean
}

const range =
  /^shardRange\(\s*(object\.metadata\.(?:uid|namespace))\s*,\s*'(0x[0-9a-f]{16})'\s*,\s*'(0x[0-9a-f]{16}|0x10000000000000000)'\s*\)$/
const mask = (1n << 64n) - 1n

/** The 64-bit FNV-1a hash of a text's UTF-8. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text, 'utf8')) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask
  return hash
}

/** Parses `shardSelector`. Throws the server's 500. Empty text selects everything: `undefined`. */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === '') return undefined
  const fields = new Set<string>()
  const ranges = text.split('||').map(part => {
    const match = range.exec(part.trim())
    if (match === null) throw new StatusError(500, '', `invalid shard selector: ${part.trim()}`)
    const [start, end] = [BigInt(match[2] as string), BigInt(match[3] as string)]
    if (start >= end) throw new StatusError(500, '', `invalid shard selector: empty range in ${part.trim()}`)
    fields.add(match[1] as string)
    return { start, end }
  })
  if (fields.size !== 1) throw new StatusError(500, '', 'invalid shard selector: all ranges must be on one field')
  const byUid = fields.has('object.metadata.uid')
  return {
    text,
    matches({ uid, namespace }) {
      const hash = fnv1a64(byUid ? uid : namespace)
      return ranges.some(({ start, end }) => hash >= start && hash < end)
    },
  }
}
