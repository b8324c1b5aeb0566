import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type MutationReport, percent, type Score, scoreOf } from './mutants/score.ts'
import { program } from './program.ts'
import { bin, command, toolEnvironment } from './test/command.ts'
import { publishedPackages, root, type WorkspacePackage } from './workspace.ts'

const usage = `npm run mutants -- PACKAGE [--minutes N] [--only FILE] [--at-once N] [--at-least PERCENT]
  --minutes N          the bound for all files together (40); what is left out is named
  --only FILE          this core file alone, as package.json names it
  --at-once N          so many changes are tried at once (4): some make a test wait for what never comes
  --at-least PERCENT   exits with 1 when the score is below
Changes the core files that the package's package.json names ("wherry": { "mutants": ["src/…"] }) in small ways and says
which changes its tests do not notice: all of its tests in memory, or those that the package names for the file
({ "src/…": ["src/…test.ts"] }). Only what changed since the last run is tried again, and what a run that was out of time
left open.`

/** The tests of a package; the configuration of vitest leaves out tests that are not in memory. */
const all = ['src/**/*.test.ts']

/** One core file, and the tests that are to notice; all in memory where none are named. Relative to the package. */
interface Core {
  readonly file: string
  readonly tests: readonly string[]
}

interface Bounds {
  readonly atOnce: number
  readonly limitMs: number
}

/** One core file: Stryker's own run of it, incremental; undefined when it did not end within its time. */
async function mutate(one: WorkspacePackage, { file: core, tests }: Core, bounds: Bounds): Promise<Score | undefined> {
  const { short } = one
  const { limitMs } = bounds
  const inRoot = (path: string): string => relative(root, join(one.folder, path))
  const file = inRoot(core)
  const folder = join(root, '.cache/mutants', short, file.replaceAll(/[^\w.-]+/g, '-'))
  mkdirSync(folder, { recursive: true })
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const config = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tools/mutants/vitest.config.ts', related: true },
    mutate: [file],
    incremental: true,
    incrementalFile: join(folder, 'incremental.json'),
    reporters: ['json'],
    jsonReporter: { fileName: report },
    tempDirName: `.stryker-tmp/${short}`,
    ignorePatterns: ['.stryker-tmp', '.cache', '.tools', 'reports', 'dist', '/docs', '/examples', '/test'],
    checkers: [],
    concurrency: bounds.atOnce,
    // For loops without an end alone. A test that only waits is ended by its own limit, see the configuration of vitest.
    timeoutMS: 90_000,
    allowEmpty: true,
    disableTypeChecks: true,
    allowConsoleColors: false,
  }
  const configFile = join(folder, 'stryker.json')
  writeFileSync(configFile, JSON.stringify(config, null, 2))
  // Not by Stryker's own testFiles: with that it never sets off a change at the top of a module.
  const env = toolEnvironment({ WHERRY_MUTANTS_TESTS: JSON.stringify((tests.length > 0 ? tests : all).map(inRoot)) })
  // It writes down then how far it came.
  const close = AbortSignal.timeout(Math.max(0, Math.floor(limitMs) - 10_000))
  const ended = await command(bin('stryker'), ['run', configFile], { env, limitMs, close })
  if (ended.code !== 0 && (ended.timedOut || close.aborted)) return undefined
  if (ended.code !== 0) throw new Error(`Stryker failed on ${file}:\n${ended.output}`)
  return scoreOf(JSON.parse(readFileSync(report, 'utf8')) as MutationReport)
}

function coreOf({ folder, manifest }: WorkspacePackage): Core[] {
  const named = manifest.wherry?.mutants ?? []
  const patterns = Array.isArray(named) ? named.map(pattern => [pattern, []] as const) : Object.entries(named)
  return patterns
    .flatMap(([pattern, tests]) =>
      globSync(pattern, { cwd: folder, exclude: ['**/*.{test,fixture}.ts'] }).map(file => ({ file, tests })),
    )
    .sort((one, other) => (one.file < other.file ? -1 : 1))
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '40' },
      only: { type: 'string' },
      'at-once': { type: 'string', default: '4' },
      'at-least': { type: 'string', default: '0' },
    },
  })
  const [short = ''] = positionals
  const one = publishedPackages().find(candidate => candidate.short === short)
  if (!one)
    throw new Error(
      `name one package; there are: ${publishedPackages()
        .map(each => each.short)
        .join(', ')}`,
    )
  const files = coreOf(one).filter(({ file }) => values.only === undefined || file === values.only)
  if (files.length === 0) throw new Error(`${short} names no such core file ("wherry": { "mutants": […] })`)
  const atOnce = Number(values['at-once'])
  const end = performance.now() + Number(values.minutes) * 60_000
  const total = { detected: 0, late: 0, total: 0 }
  const left: string[] = []
  for (const core of files) {
    const limitMs = end - performance.now()
    const score = limitMs > 0 ? await mutate(one, core, { atOnce, limitMs }) : undefined
    if (score === undefined) {
      left.push(core.file)
      continue
    }
    total.detected += score.detected
    total.late += score.late
    total.total += score.total
    console.log(`${core.file}  ${percent(score)}`)
    for (const survivor of score.survivors) console.log(`    ${survivor}`)
  }
  console.log(`${short}  ${percent(total)}`)
  if (left.length > 0) console.log(`out of time, not (all) tried; run again to go on: ${left.join(', ')}`)
  const share = total.total === 0 ? 0 : (100 * total.detected) / total.total
  return left.length === 0 && share >= Number(values['at-least']) ? 0 : 1
}

await program('npm run mutants', usage, main)
