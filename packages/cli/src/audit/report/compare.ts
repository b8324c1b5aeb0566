import type { CommandHost } from '../../host.ts'
import { comparison } from './comparison.ts'
import { recordedReport } from './recorded-report.ts'

/** Prints the differences between the reports of two files. */
export async function compare(before: string, after: string, host: CommandHost): Promise<void> {
  // One after the other: of two files that are missing, the first is named.
  const old = await recordedReport(before, host)
  const now = await recordedReport(after, host)
  host.stdout.write(comparison(old, now))
}
