/**
 * Writes bytes from the end to the start, as Go does, so that the length of a message is known before it is written. A field's value is written first, then its
 * tag.
 */
export class BackwardWriter {
  #buffer = Buffer.allocUnsafe(1024)
  #at = this.#buffer.length

  /** The number of written bytes. */
  get length(): number {
    return this.#buffer.length - this.#at
  }

  /** The written bytes. The writer is not used afterwards. */
  whole(): Buffer {
    return this.#buffer.subarray(this.#at)
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#take(bytes.length)
    this.#buffer.set(bytes, at)
  }

  text(text: string): void {
    const at = this.#take(Buffer.byteLength(text))
    this.#buffer.write(text, at)
  }

  /** Writes a whole number. A negative number takes ten bytes. */
  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value < 128) {
      const at = this.#take(1)
      this.#buffer[at] = value
      return
    }
    const groups: number[] = []
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest > 127n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80)
    groups.push(Number(rest))
    this.bytes(Uint8Array.from(groups))
  }

  double(value: number): void {
    const at = this.#take(8)
    this.#buffer.writeDoubleLE(value, at)
  }

  /** Writes the tag of the number or boolean that was written last. */
  numberTag(field: number): void {
    this.varint(field * 8)
  }

  doubleTag(field: number): void {
    this.varint(field * 8 + 1)
  }

  /** Writes the length and the tag of the text, bytes or message that was written since `length` was `start`. */
  lengthTag(field: number, start: number): void {
    this.varint(this.length - start)
    this.varint(field * 8 + 2)
  }

  /** The position of `count` more bytes. The buffer may be replaced by a larger one. */
  #take(count: number): number {
    if (count > this.#at) this.#grow(count)
    this.#at -= count
    return this.#at
  }

  #grow(count: number): void {
    const { length } = this
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, length + count))
    const at = larger.length - length
    this.#buffer.copy(larger, at, this.#at)
    this.#buffer = larger
    this.#at = at
  }
}
