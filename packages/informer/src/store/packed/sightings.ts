const places = 4096

/** Tells what comes again from what comes once, by hashes: of texts that came not long ago, in 16 KB. */
export class Sightings {
  readonly #hashes = new Int32Array(places)

  /** Whether a text was seen before; it may be wrong either way, now and then. From now on it was. */
  again(text: string): boolean {
    const hash = hashOf(text)
    const place = (hash ^ (hash >>> 15)) & (places - 1)
    if (this.#hashes[place] === hash) return true
    this.#hashes[place] = hash
    return false
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
