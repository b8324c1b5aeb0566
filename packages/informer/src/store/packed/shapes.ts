import { Counted } from './counted.ts'
import type { Sightings } from './sightings.ts'

/** What objects have in common that have the same keys in the same order. */
export interface Shape {
  readonly keys: readonly string[]
  /** They have no prototype. */
  readonly isBare: boolean
}

/** Objects of more keys are maps, most of them, each with keys of its own. */
const mostKeys = 64
const mostTextLength = 1024
const mostShapes = 4096

/** The shapes of packed objects: a number stands for all keys of one. */
export class Shapes extends Counted<Shape> {
  constructor(sightings: Sightings) {
    super(sightings, mostShapes)
  }

  /** The number of a shape, which has one use more; `undefined` where it has none: it was not seen before. */
  use(keys: readonly string[], isBare: boolean): number | undefined {
    if (keys.length > mostKeys) return undefined
    const text = isBare ? `\0${keys.join('\0')}` : keys.join('\0')
    const number = text.length > mostTextLength ? undefined : this.count(text, { keys, isBare })
    if (number === undefined || isOf(this.at(number), keys, isBare)) return number
    this.release(number)
    return undefined
  }
}

/** Keys may have in them what others are joined by. */
function isOf(shape: Shape, keys: readonly string[], isBare: boolean): boolean {
  if (shape.isBare !== isBare || shape.keys.length !== keys.length) return false
  for (let index = 0; index < keys.length; index++) if (shape.keys[index] !== keys[index]) return false
  return true
}
