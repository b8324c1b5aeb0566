/** What is larger has a buffer of its own. */
const mostSharedBytes = 64 * 1024
const leastChunkBytes = 4 * 1024
const mostChunkBytes = 256 * 1024
/** Before each value in a buffer: its handle, and how many bytes it has. */
const headBytes = 8

/** A handle is the number of a slot, and how often the slot has been let go of: a handle of before is told from it. */
const slotBits = 25
const mostSlots = 2 ** slotBits
const generations = 2 ** (30 - slotBits)

interface Chunk {
  readonly index: number
  readonly bytes: Buffer
  /** How far it is written. */
  end: number
  /** How many of these bytes are of values that are there. */
  live: number
}

/**
 * Holds bytes in large buffers outside the V8 heap: each value has a handle, a small integer, until it is let go of.
 *
 * Values are written one behind the other. A buffer that is full, and less than half of which is of values that are still
 * there, is given back, and these are moved to the last one: all buffers together are at most about twice as large as what
 * is there, however that came and went.
 */
export class Slab {
  /** How many values there are. */
  size = 0
  /** How large they are together, each with what says so. */
  usedBytes = 0
  /** Of the value that was looked for last: where it is. Until the next write. */
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  readonly #chunks: (Chunk | undefined)[] = []
  readonly #freeChunks: number[] = []
  #current: Chunk | undefined
  /** Of each slot: where its value is; of a free one: the next free one, as `-1 - slot`, or `-1 - mostSlots`. */
  #addresses = new Float64Array(0)
  #generations = new Uint8Array(0)
  #slots = 0
  #freeSlot = mostSlots
  #bufferBytes = 0

  /** How large all buffers are. */
  get allocatedBytes(): number {
    return this.#bufferBytes + this.#addresses.byteLength + this.#generations.byteLength
  }

  /** Keeps a copy of some bytes. Gives their handle. */
  write(value: Uint8Array): number {
    const chunk = this.#room(headBytes + value.length)
    const slot = this.#takeSlot()
    const handle = (this.#generations[slot] as number) * mostSlots + slot
    const start = chunk.end
    chunk.bytes.writeUInt32LE(handle, start)
    chunk.bytes.writeUInt32LE(value.length, start + 4)
    chunk.bytes.set(value, start + headBytes)
    this.#addresses[slot] = addressOf(chunk, start)
    this.#grow(chunk, headBytes + value.length)
    this.size++
    return handle
  }

  /** Looks for a value: {@link bytes} and {@link at} say where it is. @throws Error for one that was let go of. */
  find(handle: number): void {
    const slot = handle % mostSlots
    const address = this.#addresses[slot] ?? -1
    if (address < 0 || this.#generations[slot] !== Math.floor(handle / mostSlots)) {
      throw new Error('a packed value was read after it was let go of: please report this')
    }
    this.bytes = (this.#chunks[Math.floor(address / mostChunkBytes)] as Chunk).bytes
    this.at = (address % mostChunkBytes) + headBytes
  }

  /** Lets go of a value. @throws Error for one that was let go of. */
  free(handle: number): void {
    this.find(handle)
    const slot = handle % mostSlots
    const chunk = this.#chunks[Math.floor((this.#addresses[slot] as number) / mostChunkBytes)] as Chunk
    const length = headBytes + this.bytes.readUInt32LE(this.at - 4)
    this.#generations[slot] = ((this.#generations[slot] as number) + 1) % generations
    this.#addresses[slot] = -1 - this.#freeSlot
    this.#freeSlot = slot
    this.size--
    chunk.live -= length
    this.usedBytes -= length
    if (this.size === 0) this.#clear()
    else if (chunk !== this.#current) this.#settle(chunk)
    else if (chunk.live === 0) chunk.end = 0
  }

  /** Lets go of all. */
  clear(): void {
    this.#clear()
    this.#generations = new Uint8Array(0)
  }

  /** Of all but the generations of the slots, by which handles of before are known. */
  #clear(): void {
    this.#chunks.length = 0
    this.#freeChunks.length = 0
    this.#current = undefined
    this.#addresses = new Float64Array(0)
    this.#slots = 0
    this.#freeSlot = mostSlots
    this.#bufferBytes = 0
    this.usedBytes = 0
    this.size = 0
  }

  #takeSlot(): number {
    const slot = this.#freeSlot
    if (slot !== mostSlots) {
      this.#freeSlot = -1 - (this.#addresses[slot] as number)
      return slot
    }
    if (this.#slots === mostSlots) throw new RangeError(`a packed store holds ${mostSlots} values at most`)
    if (this.#slots === this.#addresses.length) {
      const length = Math.max(64, Math.ceil(this.#slots * 1.25))
      this.#addresses = copied(this.#addresses, new Float64Array(length))
      if (this.#generations.length < length) this.#generations = copied(this.#generations, new Uint8Array(length))
    }
    return this.#slots++
  }

  /** A buffer with so much room. */
  #room(length: number): Chunk {
    if (length > mostSharedBytes) return this.#open(length)
    for (;;) {
      const former = this.#current
      if (former !== undefined && former.end + length <= former.bytes.length) return former
      // Small ones while there is little, so that the last one's free part is a small part of all.
      const wanted = 2 ** Math.floor(Math.log2(Math.max(1, this.usedBytes / 4)))
      const least = Math.min(mostChunkBytes, Math.max(leastChunkBytes, wanted))
      this.#current = this.#open(Math.max(least, length))
      if (former !== undefined) this.#settle(former)
    }
  }

  #open(length: number): Chunk {
    const index = this.#freeChunks.pop() ?? this.#chunks.length
    const chunk = { index, bytes: Buffer.allocUnsafeSlow(length), end: 0, live: 0 }
    this.#chunks[index] = chunk
    this.#bufferBytes += length
    return chunk
  }

  #grow(chunk: Chunk, length: number): void {
    chunk.end += length
    chunk.live += length
    this.usedBytes += length
  }

  /** Gives a buffer back that is not written to any more, where too little in it is still there. */
  #settle(chunk: Chunk): void {
    if (chunk.live * 2 >= chunk.end && chunk.live > 0) return
    for (let at = 0; chunk.live > 0; ) {
      const length = headBytes + chunk.bytes.readUInt32LE(at + 4)
      const slot = chunk.bytes.readUInt32LE(at) % mostSlots
      if (this.#addresses[slot] === addressOf(chunk, at)) {
        const to = this.#room(length)
        chunk.bytes.copy(to.bytes, to.end, at, at + length)
        this.#addresses[slot] = addressOf(to, to.end)
        this.#grow(to, length)
        chunk.live -= length
        this.usedBytes -= length
      }
      at += length
    }
    this.#chunks[chunk.index] = undefined
    this.#freeChunks.push(chunk.index)
    this.#bufferBytes -= chunk.bytes.length
  }
}

function addressOf(chunk: Chunk, at: number): number {
  return chunk.index * mostChunkBytes + at
}

function copied<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}
