import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type MutationReport, percent, type Score, scoreOf } from './mutants/score.ts'
import { bin, command, killAll, toolEnvironment } from './test/command.ts'
import { publishedPackages, root } from './workspace.ts'

const usage = `npm run mutants -- PACKAGE [--minutes N] [--only FILE] [--at-least PERCENT]
  --minutes N          the bound for all files together (40); what is left out is named
  --only FILE          this core file alone, as package.json names it
  --at-least PERCENT   exits with 1 when the score is below
Changes the core files that the package's package.json names ("wherry": { "mutants": ["src/…"] }) in small ways and says
which changes its tests do not notice. Only what changed since the last run is tried again.`

/** One core file: Stryker's own run of it, incremental; undefined when it did not end within `limitMs`. */
async function mutate(short: string, file: string, limitMs: number): Promise<Score | undefined> {
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
    concurrency: 2,
    timeoutMS: 10_000,
    allowEmpty: true,
    disableTypeChecks: true,
    allowConsoleColors: false,
  }
  const configFile = join(folder, 'stryker.json')
  writeFileSync(configFile, JSON.stringify(config, null, 2))
  const env = toolEnvironment({ WHERRY_MUTANTS_PACKAGE: short })
  const ended = await command(bin('stryker'), ['run', configFile], { env, limitMs })
  if (ended.timedOut) return undefined
  if (ended.code !== 0) throw new Error(`Stryker failed on ${file}:\n${ended.output}`)
  return scoreOf(JSON.parse(readFileSync(report, 'utf8')) as MutationReport)
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '40' },
      only: { type: 'string' },
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
  const core = globSync([...(one.manifest.wherry?.mutants ?? [])], {
    cwd: one.folder,
    exclude: ['**/*.{test,fixture}.ts'],
  }).sort()
  const files = core.filter(file => values.only === undefined || file === values.only)
  if (files.length === 0) throw new Error(`${short} names no such core file ("wherry": { "mutants": […] })`)
  const end = performance.now() + Number(values.minutes) * 60_000
  const total = { detected: 0, total: 0 }
  const left: string[] = []
  for (const file of files) {
    const limitMs = end - performance.now()
    const score = limitMs > 0 ? await mutate(short, relative(root, join(one.folder, file)), limitMs) : undefined
    if (score === undefined) {
      left.push(file)
      continue
    }
    total.detected += score.detected
    total.total += score.total
    console.log(`${file}  ${percent(score)}`)
    for (const survivor of score.survivors) console.log(`    ${survivor}`)
  }
  console.log(`${short}  ${percent(total)}`)
  if (left.length > 0) console.log(`out of time, not tried: ${left.join(', ')}`)
  const share = total.total === 0 ? 0 : (100 * total.detected) / total.total
  return left.length === 0 && share >= Number(values['at-least']) ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killAll(signal)
    process.exit(signal === 'SIGINT' ? 130 : 143)
  })
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`npm run mutants: ${error instanceof Error ? error.message : error}\n${usage}`)
  process.exitCode = 1
}
