import type { CommandHost } from '../../host.ts'
import { comparison } from './comparison.ts'
import { recordedReport } from './recorded-report.ts'

/** Prints the differences between the reports of two files. */
export async function compare(before: string, after: string, host: CommandHost): Promise<void> {
  const [old, now] = await Promise.all([recordedReport(before, host), recordedReport(after, host)])
  host.stdout.write(comparison(old, now))
}
