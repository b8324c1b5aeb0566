import type { PathTree } from './path.ts'

/** Anything that JSON has: what projections take apart. */
export type Json = unknown
type JsonObject = Readonly<Record<string, Json>>

/** What makes new objects with what the tree names, as far as it is there. Through a list: of each item. */
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
 * Makes plain objects that come to have about the same keys. V8 learns from the first ones how large they are; an object
 * that begins as `{}` keeps room for four properties, and all others are kept outside of it, which is half as much again.
 */
function newShape(): new () => object {
  function Shape(): void {}
  Shape.prototype = Object.prototype
  return Shape as unknown as new () => object
}

/** A new object without what the tree names; all that is left out of it stays as it is. */
export function omitted(value: Json, tree: PathTree): Json {
  if (Array.isArray(value)) return value.map(item => omitted(item, tree))
  if (!isObject(value)) return value
  const made = {}
  // A new object, not a deletion: an object with a deleted property stays a slow, large one.
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
  // As an assignment it would set the prototype (rule X5).
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else (object as Record<string, Json>)[key] = value
}
