/** What is read of Stryker's JSON report. */
export interface MutationReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly status: string
          readonly mutatorName: string
          readonly replacement?: string | undefined
          readonly location: { readonly start: { readonly line: number } }
        }[]
      }
    >
  >
}

/** How many mutants the tests noticed, of those that count. */
export interface Score {
  readonly detected: number
  readonly total: number
  /** What the tests let live, a line for each. */
  readonly survivors: readonly string[]
}

/** Sums a report up. Mutants that do not compile or were ignored do not count. */
export function scoreOf(report: MutationReport): Score {
  let detected = 0
  const survivors: string[] = []
  for (const [file, { mutants }] of Object.entries(report.files)) {
    for (const { status, mutatorName, replacement = '', location } of mutants) {
      if (status === 'Killed' || status === 'Timeout') detected += 1
      else if (status === 'Survived' || status === 'NoCoverage')
        survivors.push(`${file}:${location.start.line} ${status}: ${mutatorName} → ${replacement.split('\n')[0]}`)
    }
  }
  return { detected, total: detected + survivors.length, survivors }
}

/** `81.3 % (65 of 80)` */
export function percent({ detected, total }: Pick<Score, 'detected' | 'total'>): string {
  return total === 0 ? 'no mutants' : `${((100 * detected) / total).toFixed(1)} % (${detected} of ${total})`
}
