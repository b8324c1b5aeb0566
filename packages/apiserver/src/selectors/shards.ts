import { StatusError } from '../status.ts'

/** A parsed shard selector (KEP-5866): ranges of hashes over a field. A range includes its start and excludes its end. */
export interface ShardSelector {
  /** The canonical form of the ranges, which lists return. */
  readonly text: string
  matches(object: { readonly uid: string; readonly namespace: string }): boolean
}

const call = /^shardRange\(\s*([\w.]+)\s*,\s*'([^']*)'\s*,\s*'([^']*)'\s*\)$/
const fields = ['object.metadata.uid', 'object.metadata.namespace']
const hex = /^0x[0-9a-f]{16}$/
const endOfAll = '0x10000000000000000'
const mask = (1n << 64n) - 1n

/** The 64-bit FNV-1a hash of a text's UTF-8 bytes. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text, 'utf8')) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask
  return hash
}

/** Parses `shardSelector`. Throws the server's 500. Returns `undefined` for an empty text, which selects everything. */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === '') return undefined
  const ranges = text.split('||').map(part => parseRange(part.trim()))
  const [first] = ranges as [Range, ...Range[]]
  const other = ranges.find(({ field }) => field !== first.field)
  if (other !== undefined) {
    throw refused(`all shard ranges must use the same field, got "${first.field}" and "${other.field}"`)
  }
  const byUid = first.field === 'object.metadata.uid'
  return {
    text: ranges.map(({ field, start, end }) => `shardRange(${field}, '${start}', '${end}')`).join(' || '),
    matches({ uid, namespace }) {
      const hash = fnv1a64(byUid ? uid : namespace)
      return ranges.some(({ start, end }) => hash >= BigInt(start) && hash < BigInt(end))
    },
  }
}

interface Range {
  readonly field: string
  readonly start: string
  readonly end: string
}

function parseRange(text: string): Range {
  const match = call.exec(text)
  if (match === null) throw refused('unexpected expression kind 3; expected shardRange() call or || operator')
  const [, field = '', start = '', end = ''] = match
  if (!fields.includes(field)) {
    throw refused(`unsupported field path "${field}"; supported: ${fields.join(', ')}`)
  }
  checkHex('hexStart', start)
  if (end !== endOfAll) checkHex('hexEnd', end)
  if (BigInt(start) >= BigInt(end)) throw refused(`shard range start ${start} must be less than end ${end}`)
  return { field, start, end }
}

function checkHex(what: string, text: string): void {
  if (hex.test(text)) return
  const padded = /^0x[0-9a-f]{1,15}$/.test(text) ? ` (did you mean "0x${text.slice(2).padStart(16, '0')}"?)` : ''
  throw refused(`${what} must be a 0x-prefixed 16-digit hex value, got "${text}"${padded}`)
}

function refused(why: string): StatusError {
  return new StatusError(500, '', `invalid shard selector: ${why}`)
}
