import type { Json } from '@wherry/cel/internal'
import { builtinFields, builtinGoTypes, builtinKinds } from '../generated/builtin-fields.ts'
import { atomic, type FieldType, fieldType } from './field-type.ts'

const read = new Map<string, FieldType>()
const leafs: Readonly<Record<string, FieldType>> = {
  s: fieldType({ kind: 'string' }),
  y: fieldType({ kind: 'string', reads: 'bytes' }),
  n: fieldType({ kind: 'number' }),
  b: fieldType({ kind: 'boolean' }),
  x: fieldType({ kind: 'scalar' }),
  q: fieldType({ kind: 'scalar', reads: 'quantity' }),
  t: fieldType({ kind: 'scalar', reads: 'time' }),
  m: fieldType({ kind: 'scalar', reads: 'microTime' }),
  i: { ...atomic, reads: 'intOrString' },
  '?': atomic,
}

/** The type by which objects of a built-in kind are owned and patched; `undefined` if the kind does not exist. */
export function builtinType(apiVersion: string, kind: string): FieldType | undefined {
  const name = builtinKinds[`${apiVersion}/${kind}`]
  return name === undefined ? undefined : typeOf(name)
}

/** The metadata of every object. */
export function metadataType(): FieldType {
  return typeOf('meta.v1.ObjectMeta')
}

function typeOf(name: string): FieldType {
  const known = read.get(name)
  if (known !== undefined) return known
  const fields = new Map<string, FieldType>()
  const always = new Set<string>()
  const embedded = new Map<string, string>()
  const type = fieldType({ kind: 'map', struct: true, name, fields, always, embedded })
  // Set before the fields are read, because types refer to themselves.
  read.set(name, type)
  const inGo = goTypesOf(name)
  for (const field of (builtinFields[name] ?? '').split(' ')) {
    const colon = field.indexOf(':')
    if (colon === -1) continue
    const own = field.slice(0, colon)
    const shape = field.slice(colon + 1)
    if (shape.startsWith('!')) always.add(own)
    const [goType = '', within] = inGo.get(own) ?? []
    const read = shapeOf(shape.startsWith('!') ? shape.slice(1) : shape)
    fields.set(own, goType === '' ? read : named(read, goType))
    if (within !== undefined) embedded.set(own, within)
  }
  return type
}

/** The Go types of a type's fields if their shapes do not determine them, and the structs that embed these fields. */
function goTypesOf(name: string): ReadonlyMap<string, readonly string[]> {
  const fields = (builtinGoTypes[name] ?? '').split(' ').map((one): [string, string[]] => {
    const equals = one.indexOf('=')
    return [one.slice(0, equals), one.slice(equals + 1).split('<')]
  })
  return new Map(fields)
}

/** `type` with its Go type, and its items with theirs, if the name contains it. */
function named(type: FieldType, goType: string): FieldType {
  const { items, others } = type
  if (items !== undefined && goType.startsWith('[]')) return { ...type, goType, items: named(items, goType.slice(2)) }
  const ofMap = /^map\[[^\]]*\](.+)$/.exec(goType)?.[1]
  if (others !== undefined && ofMap !== undefined) return { ...type, goType, others: named(others, ofMap) }
  return { ...type, goType }
}

/** Reads the notation of the generated file. */
function shapeOf(shape: string): FieldType {
  const leaf = leafs[shape]
  if (leaf !== undefined) return leaf
  const [held = '', strategy] = shape.split('~')
  const whole = held.startsWith('@')
  const rest = whole ? held.slice(1) : held
  if (rest.startsWith('{')) return fieldType({ kind: 'map', atomic: whole, others: shapeOf(rest.slice(1, -1)) })
  if (rest.startsWith('[')) return listOf(rest, whole, strategy)
  const type = typeOf(rest)
  const retainKeys = strategy === '!'
  return whole || retainKeys ? { ...type, atomic: whole, patch: { ...type.patch, retainKeys } } : type
}

function listOf(shape: string, whole: boolean, strategy: string | undefined): FieldType {
  const close = shape.indexOf(']')
  const keys = shape
    .slice(1, close)
    .split(',')
    .filter(key => key !== '')
    .map(key => {
      const [name = '', byDefault] = key.split('=')
      return { name, default: byDefault === undefined ? undefined : defaultOf(byDefault) }
    })
  const merges = strategy === undefined ? !whole : !strategy.endsWith('-')
  const key = strategy === undefined ? (keys[0]?.name ?? '') : strategy.replace('!', '')
  return fieldType({
    kind: 'list',
    atomic: whole,
    items: shapeOf(shape.slice(close + 1)),
    keys,
    patch: { merges, key: merges ? key : '', retainKeys: strategy?.startsWith('!') === true },
  })
}

function defaultOf(byDefault: string): Json {
  return /^\d+$/.test(byDefault) ? Number(byDefault) : byDefault
}
