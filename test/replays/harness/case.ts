/** How much of a case is played. */
export interface PlayOptions {
  readonly runs: number
  /** The part of each size that is played: 1 or 0.1. */
  readonly part: number
  readonly say: (line: string) => void
}

/** What one line of `--json` has. Each case adds its figures. */
export interface Row {
  /** The case, as `K1`. */
  readonly replay: string
  /** Whether the bar is met; undefined for a row that has none. */
  readonly isMet?: boolean | undefined
}

/** A published case that `npm run replays` plays. */
export interface Case {
  readonly id: string
  /** The heading of docs/replays.md that it is under. */
  readonly section: string
  /** Rejects if a program of ours fails. */
  readonly play: (options: PlayOptions) => Promise<Row[]>
  /** The rows as a table for a terminal, or as a section of docs/replays.md. */
  readonly tableOf: (rows: readonly Row[], isMarkdown: boolean) => string
}

/** A case with rows of the shape `R`, played now or read from a file that `--json` wrote. */
export function caseOf<R extends Row>(parts: {
  readonly id: string
  readonly section: string
  readonly play: (options: PlayOptions) => Promise<R[]>
  readonly tableOf: (rows: readonly R[], isMarkdown: boolean) => string
}): Case {
  return { ...parts, tableOf: (rows, isMarkdown) => parts.tableOf(rows as readonly R[], isMarkdown) }
}
