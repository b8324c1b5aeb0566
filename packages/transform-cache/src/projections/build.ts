import type { PathTree } from './path.ts'

/** Any JSON value. */
export type Json = unknown
type JsonObject = Readonly<Record<string, Json>>

/** A function that makes new values with only the paths of the tree. A path through a list picks from each item. */
export function picker(tree: PathTree): (value: Json) => Json {
  const parts = Object.keys(tree).map(key => {
    const below = tree[key] as PathTree | true
    return { key, pick: below === true ? undefined : picker(below) }
  })
  const Shape = newShape()
  return function pick(value: Json): Json {
    if (Array.isArray(value)) return value.map(pick)
    if (!isObject(value)) return value
    const made = new Shape()
    for (const { key, pick: pickBelow } of parts) {
      if (!Object.hasOwn(value, key)) continue
      set(made, key, pickBelow === undefined ? value[key] : pickBelow(value[key]))
    }
    return made
  }
}

/**
 * A constructor of plain objects that will have about the same keys. V8 learns their size from the first ones; an object
 * that begins as `{}` has room for four properties, and keeps further ones outside, which costs half as much again.
 */
function newShape(): new () => object {
  function Shape(): void {}
  Shape.prototype = Object.prototype
  return Shape as unknown as new () => object
}

/** A new value without the paths of the tree. Other parts are not copied. */
export function omitted(value: Json, tree: PathTree): Json {
  if (Array.isArray(value)) return value.map(item => omitted(item, tree))
  if (!isObject(value)) return value
  const made = {}
  // A new object is made, because an object with a deleted property would be slow and large.
  for (const key of Object.keys(value)) {
    const below = tree[key]
    if (below === undefined) set(made, key, value[key])
    else if (below !== true) set(made, key, omitted(value[key], below))
  }
  return made
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function set(object: object, key: string, value: Json): void {
  // An assignment would set the prototype (rule X5).
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else (object as Record<string, Json>)[key] = value
}
