import { isObject, type Json, type JsonObject } from '@wherry/cel/internal'
import { canonicalElement } from './path-element.ts'

/**
 * A set of fields, as `fieldsV1` writes it: a tree by elements of paths (`f:spec`, `k:{"name":"a"}`, `v:"x"`). A leaf `{}` is a field of the set. If a field of
 * the set also has fields below it, they include a `.`.
 *
 * The empty set is `undefined`. Sets are never changed, because sets share their parts.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet
}

type Children = Record<string, FieldSet>

/** A field of a set, with no fields below it. */
export const member: FieldSet = Object.freeze({})

function isMember(set: FieldSet): boolean {
  if ('.' in set) return true
  for (const _ in set) return false
  return true
}

/** A field, with the fields below it. */
export function node(children: Children, itself: boolean): FieldSet | undefined {
  let empty = true
  for (const key in children) {
    if (key === '.') continue
    empty = false
    break
  }
  if (empty) return itself ? member : undefined
  if (itself) children['.'] = member
  return children
}

/** The object for the children of a field. The field itself comes first, as the server writes it. */
export function childrenOf(itself: boolean): Children {
  return itself ? { '.': member } : {}
}

/** The fields in `a` or in `b`. */
export function union(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || a === b) return b
  if (b === undefined) return a
  const itself = isMember(a) || isMember(b)
  const children = childrenOf(itself)
  for (const key in a) if (key !== '.') children[key] = a[key] as FieldSet
  for (const key in b) {
    if (key !== '.') children[key] = union(children[key], b[key]) as FieldSet
  }
  return node(children, itself)
}

/** The fields in `a` and in `b`. */
export function intersection(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined || a === b) return a === b ? a : undefined
  const children: Children = {}
  for (const key in a) {
    if (key === '.' || b[key] === undefined) continue
    const both = intersection(a[key], b[key])
    if (both !== undefined) children[key] = both
  }
  return node(children, isMember(a) && isMember(b))
}

/** The fields in `a` and not in `b`, field by field: a field in `b` removes no fields below it. */
export function difference(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a
  if (a === b) return undefined
  const itself = isMember(a) && !isMember(b)
  const children = childrenOf(itself)
  for (const key in a) {
    if (key === '.') continue
    const left = difference(a[key], b[key])
    if (left !== undefined) children[key] = left
  }
  return node(children, itself)
}

/** The fields in `a` and neither in `b` nor below a field in `b`. */
export function without(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a
  const children: Children = {}
  for (const key in a) {
    if (key === '.') continue
    const below = b[key]
    if (below !== undefined && isMember(below)) continue
    const left = without(a[key], below)
    if (left !== undefined) children[key] = left
  }
  return node(children, isMember(a))
}

/** Whether `a` and `b` are the same set. */
export function sameSet(a: FieldSet | undefined, b: FieldSet | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || isMember(a) !== isMember(b)) return false
  for (const key in a) if (key !== '.' && !sameSet(a[key], b[key])) return false
  for (const key in b) if (key !== '.' && a[key] === undefined) return false
  return true
}

/** Whether a set contains the field `element` itself. */
export function hasField(set: FieldSet | undefined, element: string): boolean {
  const found = set?.[element]
  return found !== undefined && isMember(found)
}

/** The fields of a set below `element`, without the element itself; `undefined` if there are none. */
export function below(set: FieldSet | undefined, element: string): FieldSet | undefined {
  const found = set?.[element]
  if (found === undefined) return undefined
  for (const key in found) if (key !== '.') return found
  return undefined
}

/** All fields of a set, each as the elements of its path: first the fields of a level, then the fields below each. */
export function* pathsOf(set: FieldSet | undefined, prefix: readonly string[] = []): Generator<readonly string[]> {
  const keys = Object.keys(set ?? {})
    .filter(key => key !== '.')
    .sort(byElement)
  for (const key of keys) if (hasField(set, key)) yield [...prefix, key]
  for (const key of keys) yield* pathsOf(below(set, key), [...prefix, key])
}

/** The order of elements: fields by name first, then items by their keys, then items by their values. */
const kindOrder = 'fkvi'

function byElement(a: string, b: string): number {
  const kind = kindOrder.indexOf(a[0] as string) - kindOrder.indexOf(b[0] as string)
  if (kind !== 0) return kind
  return a < b ? -1 : a > b ? 1 : 0
}

/** The set with its elements in order, as the server writes it. */
export function inOrder(set: FieldSet): FieldSet {
  if (isInOrder(set)) return set
  const ordered: Children = {}
  // A dot sorts before every letter.
  for (const key of Object.keys(set).sort()) ordered[key] = inOrder(set[key] as FieldSet)
  return ordered
}

function isInOrder(set: FieldSet): boolean {
  let before = ''
  for (const key in set) {
    if (key < before || !isInOrder(set[key] as FieldSet)) return false
    before = key
  }
  return true
}

/** Reads a set from JSON: `undefined` if the value is no set, `null` if the set is empty. */
export function readSet(value: Json | undefined): FieldSet | null | undefined {
  const read = readNode(value)
  // A whole object has no owner.
  return read === member ? null : read === undefined ? undefined : (node({ ...read }, false) ?? null)
}

function readNode(value: Json | undefined): FieldSet | undefined {
  if (!isObject(value)) return undefined
  const children: Children = {}
  let itself = false
  let any = false
  for (const key of Object.keys(value)) {
    any = true
    if (key === '.') {
      itself = true
      children['.'] = member
      continue
    }
    const child = readNode((value as JsonObject)[key])
    if (child === undefined) return undefined
    const element = canonicalElement(key)
    if (element === undefined) return undefined
    // Unknown kinds of elements are ignored: a later server may have written them.
    if (element !== '') children[element] = child
  }
  return node(children, itself || !any) ?? member
}
