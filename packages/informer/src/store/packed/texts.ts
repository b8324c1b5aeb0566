import { Counted } from './counted.ts'
import type { Sightings } from './sightings.ts'

/** Shorter texts take no more than a number would. */
const leastLength = 2
/** Longer ones are an object's own, most of them. */
const mostLength = 128
const mostTexts = 32_768

/** The texts that several packed values have: a number stands for one. At most {@link mostTexts}. */
export class Texts extends Counted<string> {
  constructor(sightings: Sightings) {
    super(sightings, mostTexts)
  }

  /** The number of a text, which has one use more; `undefined` where it has none: it was not seen before. */
  use(text: string): number | undefined {
    return text.length < leastLength || text.length > mostLength ? undefined : this.count(text, text)
  }
}
