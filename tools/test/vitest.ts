import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspace.ts'
import { bin, command, toolEnvironment } from './command.ts'
import type { Found, Options, Step } from './step.ts'

/** What is read of vitest's JSON report. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string | undefined
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[] | null | undefined
    }[]
  }[]
}

/** A suite of vitest: the test files below `folders`. */
export function suite(name: string, folders: readonly string[], limitMs: number): Step {
  return {
    name,
    live: true,
    limitMs: limitMs + 10_000,
    async run(options) {
      const reports = join(root, '.cache/reports')
      mkdirSync(reports, { recursive: true })
      const file = join(reports, `${name}.json`)
      rmSync(file, { force: true })
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
      const env = toolEnvironment(options.seeds === undefined ? {} : { WHERRY_SEEDS: String(options.seeds) })
      const ended = await command(bin('vitest'), ['run', ...folders, ...reporters], { env, limitMs, show: true })
      return judge(readReport(file), ended, options)
    },
  }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/**
 * Counts a run of vitest. What vitest itself would let pass is a failure here: a file that could
 * not be read, a run that broke without a failed test, a suite without tests, and, in CI, a test
 * that was skipped.
 */
export function judge(
  report: Report | undefined,
  ended: { readonly code: number | undefined; readonly timedOut: boolean },
  options: Pick<Options, 'ci'>,
): Found {
  if (ended.timedOut) return { passed: report?.numPassedTests ?? 0, failures: ['the suite overran its time limit'] }
  if (report === undefined) return { passed: 0, failures: [`vitest broke off (exit ${ended.code ?? 'by a signal'})`] }
  const results = report.testResults.flatMap(file => file.assertionResults)
  const failures = results.filter(one => one.status === 'failed').map(one => one.fullName)
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some(one => one.status === 'failed'))
      failures.push(`${file.name}: ${file.message || 'could not be run'}`)
  }
  const skipped = results.filter(one => ['pending', 'skipped', 'todo', 'disabled'].includes(one.status))
  if (options.ci) failures.push(...skipped.map(one => `skipped: ${one.fullName}`))
  if (results.length === 0) failures.push('no tests')
  if (ended.code !== 0 && failures.length === 0) failures.push(`vitest exited with ${ended.code}: see its errors above`)
  const notes = skipped.length > 0 && !options.ci ? [`${skipped.length} skipped`] : []
  return { passed: report.numPassedTests, failures, notes }
}
