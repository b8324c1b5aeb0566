import { oneLine } from '../one-line.ts'

/** The definition has a wrong value. The message has the path of the value. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'

  constructor(path: string, words: string) {
    super(oneLine(`${path}: ${words}`))
  }
}

/** A test of a value, and a description of the values that pass. */
export interface Shape {
  readonly takes: string
  readonly ok: (value: unknown) => boolean
}

export const text: Shape = { takes: 'a text', ok: value => typeof value === 'string' }
export const flag: Shape = { takes: 'true or false', ok: value => typeof value === 'boolean' }
export const number: Shape = { takes: 'a number', ok: value => typeof value === 'number' }
export const count: Shape = {
  takes: 'an integer of 0 or more',
  ok: value => Number.isInteger(value) && Number(value) >= 0,
}
export const record: Shape = { takes: 'a map', ok: isRecord }
export const list: Shape = { takes: 'a list', ok: Array.isArray }
export const texts: Shape = listOf(text)
export const textsByName: Shape = {
  takes: 'texts by name',
  ok: value => isRecord(value) && Object.values(value).every(text.ok),
}

export function listOf({ takes, ok }: Shape): Shape {
  return { takes: `a list, each item ${takes}`, ok: value => Array.isArray(value) && value.every(ok) }
}

export function oneOf(...values: readonly string[]): Shape {
  return { takes: `one of ${values.join(', ')}`, ok: value => values.includes(value as string) }
}

export function matching(pattern: RegExp, most: number, takes: string): Shape {
  return { takes, ok: value => typeof value === 'string' && value.length <= most && pattern.test(value) }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks the fields of an object, all of which may be missing. Throws a {@link ShapeError} for the first wrong field. */
export function checkFields(
  object: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, Shape>>,
  path: string,
): void {
  for (const [name, shape] of Object.entries(shapes))
    if (Object.hasOwn(object, name) && !shape.ok(object[name])) throw wrong(pathTo(path, name), object[name], shape)
}

/** Returns a required field. */
export function needed(object: Readonly<Record<string, unknown>>, name: string, shape: Shape, path: string): unknown {
  if (!Object.hasOwn(object, name) || object[name] === null)
    throw new ShapeError(pathTo(path, name), `it is missing, and takes ${shape.takes}`)
  const value = object[name]
  if (!shape.ok(value)) throw wrong(pathTo(path, name), value, shape)
  return value
}

const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function wrong(path: string, value: unknown, { takes }: Shape): ShapeError {
  return new ShapeError(path, `it takes ${takes}, not ${shown(value)}`)
}

/** A value on one line, cut if it is long. A long text is cut before it is converted to JSON. */
function shown(value: unknown): string {
  if (isRecord(value)) return 'a map'
  if (Array.isArray(value)) return 'such a list'
  const json = JSON.stringify(typeof value === 'string' ? value.slice(0, 60) : value)
  return typeof value === 'string' && value.length > 60 ? `${json} …` : json
}
