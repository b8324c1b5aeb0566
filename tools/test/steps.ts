import { globSync } from 'node:fs'
import { join } from 'node:path'
import { installTest } from '../../test/install/install.ts'
import { runsOnTest } from '../../test/runs-on/runs-on.ts'
import { checkApi } from '../checks/api.ts'
import { checkBenches } from '../checks/benches.ts'
import { checkDocs } from '../checks/docs.ts'
import { checkLicences } from '../checks/licences.ts'
import { packed } from '../checks/packed.ts'
import { checkPublint, checkTypesAreRight } from '../checks/publish.ts'
import { checkSimulatedSpeed } from '../checks/simulated-speed.ts'
import { checkSizes } from '../checks/sizes.ts'
import { root } from '../workspace.ts'
import { bin, command } from './command.ts'
import { type Found, fromCommand, type Step } from './step.ts'
import { suite } from './vitest.ts'

const minute = 60_000
/** What a step may take unless it says otherwise: only what hangs takes so long, however busy the machine is. */
const limitMs = 30 * minute

/** Quick checks of all code, whatever changed. */
function quickSteps(): Step[] {
  const biome = ['check', '--error-on-warnings', '--max-diagnostics=30']
  return [
    { name: 'types', limitMs, alone: true, run: checkTypes },
    { name: 'format', limitMs, run: async () => fromCommand(await command(bin('biome'), biome)) },
    { name: 'knip', limitMs, run: async () => fromCommand(await command(bin('knip'), ['--no-progress'])) },
    { name: 'licences', limitMs, run: async () => checkLicences() },
    { name: 'rules', limitMs, run: checkRules },
  ]
}

/**
 * What `npm test -- --changed BASE` does: the quick checks of all code, the tests of the structure, and the unit tests
 * that import what changed since the commit `base`, by whatever way.
 */
export function changedSteps(base: string): Step[] {
  return [
    ...quickSteps(),
    suite('structure', ['test/structure/'], 5 * minute),
    suite('changed', ['packages/'], 40 * minute, { changedSince: base }),
  ]
}

/** What `npm test` does, in its order: quick checks first, and nothing that needs a real API server. */
export function steps(): Step[] {
  return [
    ...quickSteps(),
    suite('tools', ['tools/', 'test/structure/'], 40 * minute),
    suite('unit', ['packages/'], 60 * minute),
    suite('integration', [...integrationFolders('without real servers'), 'test/demo/demo.test.ts'], 40 * minute),
  ]
}

/** What `npm test -- --all` does, which CI runs: all of that whole, and what packages are as they are published. */
export function allSteps(): Step[] {
  return [
    ...quickSteps(),
    ...(process.env.CI === 'true' ? [apiServer()] : []),
    // The longer suite: its tests wait for real servers half of their time.
    suite('integration', ['tools/', 'test/structure/', ...integrationFolders()], 60 * minute, { workers: 3 }),
    suite('unit', ['packages/'], 60 * minute),
    // These begin when one of the suites has ended. The longest first: the others run at the same time.
    { name: 'pack', limitMs, run: async () => ({ passed: (await packed()).length, failures: [] }) },
    { name: 'benches', limitMs, run: checkBenches },
    { name: 'install', limitMs, run: installTest },
    { name: 'runs-on', limitMs, run: runsOnTest },
    // Compares processor times, which others that run do not change.
    { name: 'simulated-speed', limitMs, run: checkSimulatedSpeed },
    { name: 'api', limitMs, run: checkApi },
    { name: 'attw', limitMs, run: checkTypesAreRight },
    { name: 'publint', limitMs, run: checkPublint },
    { name: 'sizes', limitMs, run: checkSizes },
    { name: 'example', limitMs, run: checkExample },
    { name: 'reference', limitMs, run: checkReference },
    { name: 'docs', limitMs, run: checkDocs },
  ]
}

/** In CI nothing is skipped for want of the real API server: it is built first, unless it is in the cache. */
function apiServer(): Step {
  const limitMs = 40 * minute
  const build = (): ReturnType<typeof command> =>
    command(process.execPath, [join(root, 'tools/apiserver.ts')], { limitMs, show: true })
  // Suites that begin after it must find it.
  return { name: 'apiserver', live: true, alone: true, limitMs, run: async () => fromCommand(await build()) }
}

/**
 * TypeScript 7 checks all code as three programs: published code with all that is as strict, the tools and tests, and
 * the demo's page, which has a browser's types. Its bin is named by path: `tsc` in `.bin` may be that of TypeScript 6.
 */
async function checkTypes(): Promise<Found> {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const check = (project: string): ReturnType<typeof command> =>
    command(process.execPath, [tsc, '-p', project], { limitMs })
  const ended = await Promise.all(['tsconfig.packages.json', '.', 'tools/demo/browser'].map(check))
  const failures = ended.filter(({ code }) => code !== 0).map(({ output }) => output.trim())
  return { passed: ended.length - failures.length, failures }
}

/** What `npm run example -- quickstart --verify` runs, against the packages as they were built, by its users' own command. */
async function checkExample(): Promise<Found> {
  await packed()
  const args = [join(root, 'tools/runner/main.ts'), 'quickstart', '--verify']
  return fromCommand(await command(process.execPath, args, { limitMs }))
}

/** The reference of all packages is made without a warning, into `.cache/reference`. */
async function checkReference(): Promise<Found> {
  const options = join(root, 'tools/reference/typedoc.json')
  return fromCommand(await command(bin('typedoc'), ['--options', options, '--logLevel', 'Warn'], { limitMs }))
}

/** Every rule that a package claims must be named by a test of it. */
async function checkRules(): Promise<Found> {
  const { code, output } = await command(process.execPath, [join(root, 'tools/rules.ts'), '--json'])
  if (!output.startsWith('{')) return fromCommand({ code, output })
  const { named, missing } = JSON.parse(output) as { named: Record<string, number>; missing: string[] }
  const failures = missing.map(id => `${id} is claimed, and no test names it`)
  return { passed: Object.keys(named).length - missing.length, failures }
}

/** What compares the embedded server with a real one, or measures something: nothing of it is left without a real one. */
const wholly = new Set([
  'test/bench/',
  'test/clients/',
  'test/demo/',
  'test/differential/',
  'test/examples/',
  'test/migrator/',
])

/** The folders of test/ and examples/ that hold tests which need more than one package or a real server. */
function integrationFolders(which: 'all' | 'without real servers' = 'all'): string[] {
  const files = globSync(['test/**/*.test.ts', 'examples/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules/**'] })
  const folders = new Set(files.map(file => `${file.split('/').slice(0, 2).join('/')}/`))
  folders.delete('test/structure/')
  return [...folders].filter(folder => which === 'all' || !wholly.has(folder))
}
