const blockBits = 8
const blockSize = 1 << blockBits
/** Fewer holes than this are never worth a compaction. */
const holesAtLeast = 1024

/**
 * Nodes in the order of a growing number: nodes are added at the end, and removed anywhere.
 *
 * It is an array with holes, compacted when the holes are more than half as many as the nodes. A reader is a number and an index, and costs
 * nothing while it does not read; after a compaction (another {@link generation}) it finds its index by its number. The nodes of each block
 * are counted, so that empty blocks are skipped, and the nodes after an index are counted fast.
 */
export abstract class Order<N extends object> {
  #nodes: (N | undefined)[] = []
  #counts: number[] = []
  #size = 0
  #generation = 0
  /** The number of the last node; -1 if it has to be searched. */
  #last = 0

  /** The number of nodes. */
  get size(): number {
    return this.#size
  }

  /** The index after the last node. */
  get end(): number {
    return this.#nodes.length
  }

  /** The number of the last node; 0 if there is none. */
  get last(): number {
    if (this.#last < 0) this.#last = this.#findLast()
    return this.#last
  }

  /** Changes whenever indices do. */
  get generation(): number {
    return this.#generation
  }

  /** The number of a node, which must not change while the node is in the order. */
  protected abstract numberOf(node: N): number

  /** The index of a node, searched by its number unless {@link setIndex} keeps it. */
  protected indexOf(node: N): number {
    return this.next(this.after(this.numberOf(node) - 1))
  }

  /** Keeps the index of a node for {@link indexOf}, -1 once the node is removed. For an order that often removes nodes. */
  protected setIndex(_node: N, _index: number): void {}

  /** Adds a node at the end. Its number must be greater than those of all other nodes. */
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

  /** Adds many nodes at a tenth of the cost of adding each. The caller sets their indices, from {@link end} on. */
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

  /** The first index with a node, from `index` on; {@link end} if there is none. */
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

  /** The number of nodes from `index` on. It costs a step for each 256 places of the array. */
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
