/** The fields that are read of Stryker's JSON report. */
export interface MutationReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly status: string
          readonly mutatorName: string
          readonly replacement?: string | undefined
          readonly statusReason?: string | undefined
          readonly location: { readonly start: { readonly line: number } }
        }[]
      }
    >
  >
}

/** How many mutants the tests noticed, of those that count. */
export interface Score {
  readonly detected: number
  /** How many of these by a test that did not end in time: a wait for what never comes, or a slow machine. */
  readonly late: number
  readonly total: number
  /** What the tests let live, a line for each. */
  readonly survivors: readonly string[]
}

/** Sums a report up. Mutants that do not compile or were ignored do not count. */
export function scoreOf(report: MutationReport): Score {
  let detected = 0
  let late = 0
  const survivors: string[] = []
  for (const [file, { mutants }] of Object.entries(report.files)) {
    for (const { status, statusReason = '', mutatorName, replacement = '', location } of mutants) {
      if (status === 'Timeout' || /^(Test|Hook) timed out/.test(statusReason)) late += 1
      if (status === 'Killed' || status === 'Timeout') detected += 1
      else if (status === 'Survived' || status === 'NoCoverage')
        survivors.push(`${file}:${location.start.line} ${status}: ${mutatorName} → ${replacement.split('\n')[0]}`)
    }
  }
  return { detected, late, total: detected + survivors.length, survivors }
}

/** `81.3 % (65 of 80, 3 by a time-out)` */
export function percent({ detected, late, total }: Omit<Score, 'survivors'>): string {
  if (total === 0) return 'no mutants'
  return `${((100 * detected) / total).toFixed(1)} % (${detected} of ${total}, ${late} by a time-out)`
}
