import { hash } from 'node:crypto'
import type { KubernetesObject } from '@wherry/client'

/**
 * The fields that a manager owns, in the form of `managedFields`: `f:NAME` is a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set
 * by its value. `{}`: the manager owns the whole value.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
interface Fields {
  readonly [path: string]: Fields
}

/** The digest of a status or of a copy that is applied. `undefined` without fields, because a manager owns no part of it. */
export function digestOf(apiVersion: string, applied: object): string | undefined {
  const text = textOf(applied)
  return text === '{}' ? undefined : digest(apiVersion, text)
}

/**
 * The digest of the fields of an object's status that a manager owns, with their present values. It equals {@link digestOf} of the applied status, unless
 * the server stores the values in another form.
 */
export function appliedDigest({ metadata, ...object }: KubernetesObject, manager: string): string | undefined {
  const entry = metadata?.managedFields?.find(
    one => one.manager === manager && one.operation === 'Apply' && one.subresource === 'status',
  )
  const { 'f:status': fields } = (entry?.fieldsV1 ?? {}) as Fields
  if (fields === undefined || isLeaf(fields)) return undefined
  return digest(entry?.apiVersion ?? '', textAt(fields, fieldOf(object, 'status')))
}

/** A digest of 128 bits. It is encoded directly, because a slice of a longer text would keep that text in memory. */
function digest(apiVersion: string, text: string): string {
  return hash('sha256', `${apiVersion} ${text}`, 'buffer').toString('base64url', 0, 16)
}

/** The JSON of a value, with sorted keys and without members that are `null`: to a server, `null` is no value. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  return mapText(Object.keys(value), name => {
    const below = fieldOf(value, name)
    return below === undefined || below === null ? undefined : textOf(below)
  })
}

/** The JSON of a value, with only the given fields. */
function textAt(fields: Fields, value: unknown): string {
  if (isLeaf(fields)) return textOf(value)
  if (Array.isArray(value)) return `[${itemsAt(fields, value).join()}]`
  const names = Object.keys(fields).flatMap(path => (path.startsWith('f:') ? [path.slice(2)] : []))
  return mapText(names, name => {
    const below = fieldOf(value, name)
    return below === undefined || below === null ? undefined : textAt(fields[`f:${name}`] as Fields, below)
  })
}

/** The owned items of a list, in the order of the list. */
function itemsAt(fields: Fields, list: readonly unknown[]): readonly string[] {
  const values = new Set<string>()
  const items = new Map<string, Fields>()
  let names: readonly string[] = []
  for (const [path, below] of Object.entries(fields)) {
    if (path.startsWith('v:')) values.add(textOf(JSON.parse(path.slice(2))))
    if (!path.startsWith('k:')) continue
    const keys = JSON.parse(path.slice(2)) as object
    names = Object.keys(keys)
    items.set(textOf(keys), below)
  }
  return list.flatMap(item => {
    const below = items.get(mapText(names, name => textOf(fieldOf(item, name))))
    if (below !== undefined) return [textAt(below, item)]
    const text = values.size === 0 ? '' : textOf(item)
    return values.has(text) ? [text] : []
  })
}

function mapText(names: readonly string[], below: (name: string) => string | undefined): string {
  const members = [...names].sort().flatMap(name => {
    const text = below(name)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join()}}`
}

function isLeaf(fields: Fields): boolean {
  return Object.keys(fields).length === 0
}

function fieldOf(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
