import type { StructuralSchema } from '../schema/json-schema.ts'
import type { Note } from './change.ts'

type Kind = 'number' | 'string' | 'array' | 'object'

const upper = [
  ['number', 'maximum', 'exclusiveMaximum'],
  ['string', 'maxLength'],
  ['array', 'maxItems'],
  ['object', 'maxProperties'],
] as const
const lower = [
  ['number', 'minimum', 'exclusiveMinimum'],
  ['string', 'minLength'],
  ['array', 'minItems'],
  ['object', 'minProperties'],
] as const

const breach = 'Keep the old limit, or change the objects that exceed the new one first.'
const mismatch = 'Keep the old one, or change the objects that do not match first.'

/**
 * Records the differences in the limits of single values: bounds, `multipleOf`, `pattern`, `format` and `enum`.
 *
 * @param may returns whether a value of the old schema may be of a kind. Limits for other kinds are ignored.
 */
export function limitChanges(
  old: StructuralSchema,
  next: StructuralSchema,
  path: string,
  may: (kind: Kind) => boolean,
  note: Note,
): void {
  const bound = (name: (typeof upper | typeof lower)[number][1], was: string, is: string, tighter: boolean): void => {
    if (was !== is)
      note(path, `${name} is ${is}, was ${was}`, tighter ? 'breaks stored objects' : 'safe', tighter ? breach : '')
  }
  for (const [kind, name, excluding] of upper) {
    if (!may(kind)) continue
    const [was, is] = [old[name] ?? Number.POSITIVE_INFINITY, next[name] ?? Number.POSITIVE_INFINITY]
    const [wasExclusive, isExclusive] = exclusive(old, next, excluding)
    const tighter = is < was || (is === was && isExclusive && !wasExclusive)
    bound(name, shown(old[name], wasExclusive), shown(next[name], isExclusive), tighter)
  }
  for (const [kind, name, excluding] of lower) {
    if (!may(kind)) continue
    // No length is below 0.
    const least = kind === 'number' ? Number.NEGATIVE_INFINITY : 0
    const [was, is] = [old[name] ?? least, next[name] ?? least]
    const [wasExclusive, isExclusive] = exclusive(old, next, excluding)
    const tighter = is > was || (is === was && isExclusive && !wasExclusive)
    bound(name, shown(old[name], wasExclusive), shown(next[name], isExclusive), tighter)
  }
  if (may('number') && old.multipleOf !== next.multipleOf) {
    const { multipleOf: was } = old
    const { multipleOf: is } = next
    const wider = is === undefined || (was !== undefined && Number.isInteger(was / is))
    const change = `multipleOf is ${shown(is)}, was ${shown(was)}`
    note(path, change, wider ? 'safe' : 'breaks stored objects', wider ? '' : mismatch)
  }
  if (may('string')) textChange(old, next, 'pattern', path, note)
  formatChange(old, next, path, note)
  enumChange(old, next, path, note)
}

function textChange(
  old: StructuralSchema,
  next: StructuralSchema,
  name: 'pattern' | 'format',
  path: string,
  note: Note,
): void {
  const [was, is] = [old[name] ?? '', next[name] ?? '']
  if (was === is) return
  const change = `${name} is ${is === '' ? 'none' : is}, was ${was === '' ? 'none' : was}`
  // Two patterns are not compared, so a changed pattern is not safe.
  note(path, change, is === '' ? 'safe' : 'breaks stored objects', is === '' ? '' : mismatch)
}

function formatChange(old: StructuralSchema, next: StructuralSchema, path: string, note: Note): void {
  if (old.format === 'int32' && next.format === 'int64') note(path, 'format is int64, was int32', 'safe')
  else textChange(old, next, 'format', path, note)
}

function enumChange(old: StructuralSchema, next: StructuralSchema, path: string, note: Note): void {
  const values = (schema: StructuralSchema): readonly string[] | undefined =>
    schema.enum?.map(one => JSON.stringify(one))
  const [was, is] = [values(old), values(next)]
  if (is === undefined) {
    if (was !== undefined) note(path, 'enum removed', 'safe')
    return
  }
  if (was === undefined) {
    note(path, `enum added: ${is.join(', ')}`, 'breaks stored objects', mismatch)
    return
  }
  const removed = was.filter(one => !is.includes(one))
  const added = is.filter(one => !was.includes(one))
  const advice = 'Keep the value, or change the objects that have it first.'
  if (removed.length > 0) note(path, `enum without ${removed.join(', ')}`, 'breaks stored objects', advice)
  if (added.length > 0) note(path, `enum with ${added.join(', ')}`, 'safe')
}

function exclusive(
  old: StructuralSchema,
  next: StructuralSchema,
  name: 'exclusiveMaximum' | 'exclusiveMinimum' | undefined,
): readonly [boolean, boolean] {
  return name === undefined ? [false, false] : [old[name] === true, next[name] === true]
}

function shown(limit: number | undefined, isExclusive: boolean = false): string {
  return limit === undefined ? 'none' : `${limit}${isExclusive ? ' (excluded)' : ''}`
}
