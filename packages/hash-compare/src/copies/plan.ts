/** What is to be done to one copy. */
export interface PlannedWork {
  /** `namespace/name` of the copy. */
  readonly key: string
  /** The source's key; `undefined`: it is gone. */
  readonly source: string | undefined
  /**
   * `claim`: an object is there of which it is not clear whose copy it is; it is read when the plan is carried out. `annotate`: it is
   * as it should be, and its hashes do not say so.
   */
  readonly action: 'create' | 'update' | 'annotate' | 'delete' | 'claim'
  /** The parts that differ. */
  readonly parts: readonly string[]
}

/** What a copy reconciler would do, as its caches are now. As text it is a table. */
export class CopyPlan {
  /** Sorted by key. */
  readonly work: readonly PlannedWork[]
  /** How many copies are as they should be. */
  readonly equal: number
  /** What can't be planned, since `build` or the like threw: by the key of the copy, or of the source. */
  readonly failed: ReadonlyMap<string, Error>

  constructor(work: readonly PlannedWork[], equal: number, failed: ReadonlyMap<string, Error>) {
    this.work = work.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    this.equal = equal
    this.failed = failed
  }

  toString(): string {
    const rows = this.work.map(({ action, key, source, parts }) => [action, key, source ?? '(gone)', parts.join(', ')])
    for (const [key, error] of this.failed) rows.push(['fails', key, error.message, ''])
    const counts = `${this.work.length} to do, ${this.equal} as they should be, ${this.failed.size} that fail`
    if (rows.length === 0) return counts
    const table = [['action', 'copy', 'source', 'parts'], ...rows]
    const widths = [0, 1, 2].map(column => Math.max(...table.map(row => (row[column] as string).length)))
    const lines = table.map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    return [...lines, counts].join('\n')
  }
}
