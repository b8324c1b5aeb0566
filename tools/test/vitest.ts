import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.ts'
import { root } from '../workspace.ts'
import { bin, command, toolEnvironment } from './command.ts'
import type { Found, Options, Step } from './step.ts'

/** The fields that are read of vitest's JSON report. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string | undefined
    /** When its first test began and its last one ended, in milliseconds since 1970. */
    readonly startTime?: number | undefined
    readonly endTime?: number | undefined
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[] | null | undefined
    }[]
  }[]
}

/** Options of a {@link suite}. */
export interface SuiteOptions {
  /** Only tests that depend on what changed since this commit. @default all */
  readonly changedSince?: string | undefined
  /** How many files run at once. @default as vitest's configuration says */
  readonly workers?: number | undefined
}

/**
 * A suite of vitest: the test files below `folders`, or those of them that depend on what changed since a commit. Two run at once:
 * while tests of one wait for a server, or for a long file at its end, those of the other have the processors.
 */
export function suite(
  name: string,
  folders: readonly string[],
  limitMs: number,
  { changedSince, workers }: SuiteOptions = {},
): Step {
  return {
    name,
    live: true,
    limitMs: limitMs + 10_000,
    async run(options) {
      const reports = join(root, '.cache/reports')
      mkdirSync(reports, { recursive: true })
      const file = join(reports, `${name}.json`)
      rmSync(file, { force: true })
      // What tests start as programs of their own are the packages as they are built.
      const notBuilt = options.whole ? await build(() => undefined) : undefined
      if (notBuilt !== undefined) return { passed: 0, failures: [notBuilt] }
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
      const env = toolEnvironment({
        WHERRY_PROPERTY_SEED: String(options.propertySeed),
        ...(options.seeds !== undefined && { WHERRY_SEEDS: String(options.seeds) }),
        WHERRY_SEED_SHARE: options.whole ? '0.6' : '0.1',
        ...(options.whole ? { WHERRY_BUILT: 'true' } : { WHERRY_REAL: 'false' }),
      })
      const changed = changedSince === undefined ? [] : ['--changed', changedSince]
      const atOnce = workers === undefined ? [] : [`--maxWorkers=${workers}`]
      const args = ['run', ...folders, ...changed, ...atOnce, ...reporters]
      const ended = await command(bin('vitest'), args, { env, limitMs, show: true })
      const report = readReport(file)
      if (changedSince !== undefined && ended.code === 0 && !report?.testResults.length)
        return { passed: 1, failures: [], notes: ['no test depends on what changed'] }
      const { notes = [], ...found } = judge(report, ended, options)
      return { ...found, notes: [...notes, ...slowFiles(report)] }
    },
  }
}

/** What a test file may take, in milliseconds, before it is named. */
const slowMs = 5_000

/** A line for each test file that takes long, so that the next slow one is seen; the slowest first. */
export function slowFiles(report: Report | undefined): string[] {
  const files = (report?.testResults ?? []).map(({ name, startTime = 0, endTime = 0 }) => ({
    name: name.replace(`${root}/`, ''),
    ms: endTime - startTime,
  }))
  return files
    .filter(({ ms }) => ms > slowMs)
    .sort((a, b) => b.ms - a.ms)
    .map(({ name, ms }) => `slow: ${(ms / 1000).toFixed(1)} s in ${name}`)
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
