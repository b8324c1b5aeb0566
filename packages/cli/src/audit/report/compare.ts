import type { CommandHost } from '../../host.ts'
import { comparison } from './comparison.ts'
import { recordedReport } from './recorded-report.ts'

/** Prints the differences between the reports of two files. */
export async function compare(before: string, after: string, host: CommandHost): Promise<void> {
  // In this order, so that the error names the first file if both are missing.
  const old = await recordedReport(before, host)
  const now = await recordedReport(after, host)
  host.stdout.write(comparison(old, now))
}
