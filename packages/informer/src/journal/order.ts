const blockBits = 8
const blockSize = 1 << blockBits
/** Fewer holes than this are never worth a compaction. */
const holesAtLeast = 1024

/**
 * Things in the order of a number that only grows: one is added at the end, and may be taken out anywhere.
 *
 * An array with holes, compacted when these are more than half of the rest. A reader is a number and an index, and costs nothing
 * while it stands still; after a compaction (another {@link generation}) it finds its index by its number. How many are left in
 * each block is counted, so that holes are skipped by the block and what follows an index is counted in a moment.
 */
export abstract class Order<N extends object> {
  #nodes: (N | undefined)[] = []
  #counts: number[] = []
  #size = 0
  #generation = 0
  /** The number of the last one; -1 where that has to be looked for. */
  #last = 0

  /** How many there are. */
  get size(): number {
    return this.#size
  }

  /** The index after the last one. */
  get end(): number {
    return this.#nodes.length
  }

  /** The number of the last one; 0 where there is none. */
  get last(): number {
    if (this.#last < 0) this.#last = this.#findLast()
    return this.#last
  }

  /** Changes whenever indices do. */
  get generation(): number {
    return this.#generation
  }

  /** By what the order is. Must not change while the node is in it. */
  protected abstract numberOf(node: N): number

  /** Where a node of it is: looked for by its number, where {@link setIndex} does not keep it. */
  protected indexOf(node: N): number {
    return this.next(this.after(this.numberOf(node) - 1))
  }

  /** Keeps the index of a node for {@link indexOf}, -1 once the node is removed. For an order that often removes nodes. */
  protected setIndex(_node: N, _index: number): void {}

  /** Adds a node at the end. Its number is greater than all. */
  push(node: N): void {
    const index = this.#nodes.length
    this.setIndex(node, index)
    this.#nodes.push(node)
    const block = index >> blockBits
    if (block === this.#counts.length) this.#counts.push(1)
    else (this.#counts[block] as number)++
    this.#size++
    this.#last = this.numberOf(node)
  }

  /** Adds many at a tenth of what it costs one by one. Where they are is for the caller to set, from {@link end} on, as it numbers them. */
  append(nodes: readonly N[]): void {
    const start = this.#nodes.length
    const end = start + nodes.length
    this.#nodes = this.#nodes.concat(nodes)
    for (let at = start; at < end; ) {
      const block = at >> blockBits
      const next = Math.min(end, (block + 1) << blockBits)
      this.#counts[block] = (this.#counts[block] ?? 0) + next - at
      at = next
    }
    this.#size += nodes.length
    const last = nodes.at(-1)
    if (last !== undefined) this.#last = this.numberOf(last)
  }

  remove(node: N): void {
    const index = this.indexOf(node)
    if (this.numberOf(node) === this.#last) this.#last = -1
    this.#nodes[index] = undefined
    this.setIndex(node, -1)
    ;(this.#counts[index >> blockBits] as number)--
    this.#size--
    const holes = this.#nodes.length - this.#size
    if (holes >= holesAtLeast && holes > this.#size >> 1) this.#compact()
  }

  /** The node at an index that {@link next} gave. */
  at(index: number): N {
    return this.#nodes[index] as N
  }

  /** The first index from `index` on at which something is; {@link end} where there is none. */
  next(index: number): number {
    const nodes = this.#nodes
    const { length } = nodes
    let at = index
    while (at < length) {
      if (nodes[at] !== undefined) return at
      at++
      while ((at & (blockSize - 1)) === 0 && at < length && this.#counts[at >> blockBits] === 0) at += blockSize
    }
    return length
  }

  /** The index of the first node with a greater number. */
  after(number: number): number {
    let low = 0
    let high = this.#nodes.length
    while (low < high) {
      const middle = (low + high) >> 1
      const found = this.next(middle)
      if (found < high && this.numberOf(this.at(found)) <= number) low = found + 1
      else high = middle
    }
    return low
  }

  /** How many there are from `index` on. Costs a step for each 256 places of the array. */
  countFrom(index: number): number {
    const { length } = this.#nodes
    let count = 0
    let at = index
    for (; at < length && (at & (blockSize - 1)) !== 0; at++) if (this.#nodes[at] !== undefined) count++
    if (at >= length) return count
    for (let block = at >> blockBits; block < this.#counts.length; block++) count += this.#counts[block] as number
    return count
  }

  clear(): void {
    this.#nodes = []
    this.#counts = []
    this.#size = 0
    this.#last = 0
    this.#generation++
  }

  #findLast(): number {
    let at = this.#nodes.length - 1
    while (at >= 0) {
      const node = this.#nodes[at]
      if (node !== undefined) return this.numberOf(node)
      at = this.#counts[at >> blockBits] === 0 ? (at & ~(blockSize - 1)) - 1 : at - 1
    }
    return 0
  }

  #compact(): void {
    const old = this.#nodes
    this.clear()
    for (const node of old) if (node !== undefined) this.push(node)
  }
}
