import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { commandsOf } from '../../packages/cli/src/check/command-line.ts'
import { run } from '../../tools/bootstrap/spawn.mjs'
import { fetched, thisPlatform } from '../../tools/bootstrap/toolchain.mjs'
import { type Packed, packed } from '../../tools/checks/packed.ts'
import { npm } from '../../tools/release/npm.ts'
import { publishAtOnce } from '../../tools/release/publish-at-once.ts'
import { startRegistry } from '../../tools/release/registry.ts'
import { command, type Ended, toolEnvironment } from '../../tools/test/command.ts'
import type { Found } from '../../tools/test/step.ts'
import { root } from '../../tools/workspace.ts'
import { runBundle } from './bundle.ts'
import { tryCreated } from './created.ts'
import { tutorialOf } from './tutorial.ts'

/** The first ```ts example of a README; undefined where there is none. */
export function firstExample(readme: string): string | undefined {
  return /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1]
}

/**
 * Uses the packages as a stranger does: packed, published to a registry on this machine, installed by npm into a project outside the workspace, the first
 * example of each README compiled there by TypeScript (with the libraries' types checked too) and run, on the oldest
 * Node that serves and on this one. Then the tutorial is followed, and an operator is bundled into one file, which runs without packages.
 */
export async function installTest(): Promise<Found> {
  const packages = await packed()
  const project = mkdtempSync(join(tmpdir(), 'wherry install '))
  await using registry = await startRegistry()
  try {
    for (const { tarball } of packages) await publishAtOnce(registry, tarball)
    prepare(project, packages)
    writeFileSync(join(project, '.npmrc'), `${registry.scoped}\n`)
    const installed = await npm(project, ['install', ...quietly])
    if (installed.code !== 0) return { passed: 0, failures: [`npm install failed:\n${installed.output}`] }
    const nodes = { '22.19': await oldestNode(), '24': process.execPath }
    // At the end of a run nothing else keeps the second core busy. The examples and the tutorial run without what docs/deploy.md has npm install.
    const [examples, tutorial] = await Promise.all([
      tryExamples(project, packages, nodes),
      followPage('docs/tutorial.md', project, project, nodes),
    ])
    const missing = await installMissing('docs/deploy.md', project)
    const [deploy, created, bundle] = await Promise.all([
      followPage('docs/deploy.md', tutorial.folder, project, nodes),
      tryCreated(project, nodes, registry),
      runBundle(project),
    ])
    const outcomes = [...examples, ...tutorial.outcomes, missing, ...deploy.outcomes, ...created, bundle]
    const failures = outcomes.filter(outcome => outcome !== undefined)
    return { passed: outcomes.length - failures.length, failures }
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

function prepare(project: string, packages: readonly Packed[]): void {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  // Only the scope's packages come from the local registry: npm has the others in its cache, by the address of its own.
  const versions = packages.map(({ one, tarball }) => [
    one.name,
    one.name.startsWith('@') ? one.manifest.version : `file:${tarball}`,
  ])
  const { typescript = '', '@types/node': nodeTypes = '' } = devDependencies
  const developed = (short: string): Record<string, string> =>
    JSON.parse(readFileSync(join(root, `packages/${short}/package.json`), 'utf8')).devDependencies
  const manifest = {
    name: 'stranger',
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(versions),
    devDependencies: {
      typescript,
      '@types/node': nodeTypes,
      esbuild: '^0.28.0',
      'prom-client': developed('controller')['prom-client'],
      zod: developed('crd').zod,
    },
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, null, 2))
  mkdirSync(join(project, 'src'))
}

/** One outcome for compiling the examples of all READMEs, and one for running each on each Node: undefined is well. */
async function tryExamples(
  project: string,
  packages: readonly Packed[],
  nodes: Readonly<Record<string, string>>,
): Promise<(string | undefined)[]> {
  const shorts: string[] = []
  const without: string[] = []
  for (const { one } of packages) {
    const example = firstExample(readFileSync(join(one.folder, 'README.md'), 'utf8'))
    if (example === undefined) without.push(`${one.short}: its README has no \`\`\`ts example`)
    else {
      writeFileSync(join(project, 'src', `${one.short}.ts`), example)
      shorts.push(one.short)
    }
  }
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
  const target = ['--target', 'ES2023', '--lib', 'ES2023,ESNext.Disposable', '--module', 'NodeNext', '--types', 'node']
  const tsc = join(project, 'node_modules/typescript/bin/tsc')
  const sources = shorts.map(short => join('src', `${short}.ts`))
  const args = [tsc, ...strict, ...target, '--rootDir', 'src', '--outDir', 'out', ...sources]
  const compiled = await command(process.execPath, args, { cwd: project })
  if (compiled.code !== 0) return [...without, `an example of a README does not compile:\n${compiled.output}`]
  const ran = Object.entries(nodes).map(async ([version, node]) => {
    const outcomes: (string | undefined)[] = []
    for (const short of shorts) {
      const ended = await command(node, [join('out', `${short}.js`)], { cwd: project, limitMs: 300_000 })
      const failure = `${short}: its README's example fails on Node ${version}:\n${ended.output}`
      outcomes.push(ended.code === 0 ? undefined : failure)
    }
    return outcomes
  })
  return [...without, ...shorts.map(() => undefined), ...(await Promise.all(ran)).flat()]
}

const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** What a page has a reader do elsewhere than in a terminal of this machine. */
const elsewhere = /^(docker|kubectl --namespace) /

/** The packages that a command `npm install …` names and the project has not. */
function missingOf(args: readonly string[], project: string): string[] {
  return args.slice(1).filter(one => !one.startsWith('-') && !isInstalled(project, one))
}

/** Installs what a page has npm install and the project has not. npm changes the project: nothing else may use it meanwhile. */
async function installMissing(page: string, project: string): Promise<string | undefined> {
  const { commands } = tutorialOf(readFileSync(join(root, page), 'utf8'))
  const installs = commands.filter(line => line.startsWith('npm install '))
  const missing = installs.flatMap(line => missingOf(commandsOf(line, project)[0]?.slice(1) ?? [], project))
  if (missing.length === 0) return undefined
  return failed(installs.join(', '), await npm(project, ['install', ...quietly, '--no-save', ...missing]))
}

interface Followed {
  /** Undefined for each step that went well. */
  readonly outcomes: readonly (string | undefined)[]
  /** Where the reader is at the end of the page. */
  readonly folder: string
}

/**
 * Follows a page word for word, from a folder on that is the project or below it. The project's packages stand in for those that
 * the page has npm install.
 */
async function followPage(
  page: string,
  from: string,
  project: string,
  nodes: Readonly<Record<string, string>>,
): Promise<Followed> {
  const outcomes: (string | undefined)[] = []
  let folder = from
  const { files, commands, shows } = tutorialOf(readFileSync(join(root, page), 'utf8'))
  for (const line of commands) {
    const given = commandsOf(line, folder)[0] ?? []
    const [, name, value] = /^([A-Z]+)=(.*)$/.exec(given[0] ?? '') ?? []
    const [program = '', ...args] = name === undefined ? given : given.slice(1)
    const env = { ...toolEnvironment(), NODE_NO_WARNINGS: '1', ...(name !== undefined && { [name]: value }) }
    if (program === 'mkdir') mkdirSync(join(folder, args[0] ?? ''))
    else if (program === 'cd') folder = join(folder, args[0] ?? '')
    else if (program === 'npm' && args[0] === 'install') {
      const missing = missingOf(args, project)
      outcomes.push(missing.length === 0 ? undefined : `${page}: the project has not ${missing.join(', ')}`)
    } else if (program === 'npm') outcomes.push(failed(line, await npm(folder, args)))
    else if (line === 'npx tsc') {
      writeFiles(folder, files)
      outcomes.push(await compiledTutorial(folder))
    } else if (program === 'npx') {
      writeFiles(folder, files)
      const bin = join(project, 'node_modules/.bin', args[0] ?? '')
      const ended = await command(process.execPath, [bin, ...args.slice(1)], { cwd: folder })
      outcomes.push(failed(line, ended) ?? shownBy(line, ended, shows, page))
    } else if (program === 'node') {
      writeFiles(folder, files)
      for (const [version, node] of Object.entries(nodes)) {
        const ended = await command(node, args, { cwd: folder, env, limitMs: 120_000 })
        outcomes.push(failed(line, ended) ?? shownBy(line, ended, shows, `${page} on Node ${version}`))
      }
    } else if (line === 'kubectl apply -k deploy') {
      const hook = join(root, 'test/examples/from-source.ts')
      const deploying = ['--import', hook, join(import.meta.dirname, 'deployed.ts'), folder]
      outcomes.push(failed(line, await command(process.execPath, deploying, { cwd: folder, limitMs: 300_000 })))
    } else if (!elsewhere.test(line)) outcomes.push(`${page} has a command that the test does not know: ${line}`)
  }
  if (outcomes.length < 4 || Object.keys(files).length === 0) outcomes.push(`${page} has no files or commands`)
  return { outcomes, folder }
}

/** What a command shows that the page does not show may change with Node, as that of its test runner does. */
function shownBy(
  line: string,
  { output }: Ended,
  shows: Readonly<Record<string, string>>,
  where: string,
): string | undefined {
  return output === (shows[line] ?? output) ? undefined : `${where}: "${line}" shows something else:\n${output}`
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

function isInstalled(project: string, name: string): boolean {
  return existsSync(join(project, 'node_modules', name, 'package.json'))
}

/**
 * Checks the types as the reader's own tsconfig.json says, and as strictly as a reader may. A reader that installs TypeScript today gets
 * TypeScript 7; READMEs and new projects are compiled by TypeScript 6.
 */
async function compiledTutorial(folder: string): Promise<string | undefined> {
  const strict = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  return failed('npx tsc', await command(process.execPath, [tsc, ...strict], { cwd: folder }))
}

function failed(what: string, { code, output }: Ended): string | undefined {
  return code === 0 ? undefined : `"${what}" of the tutorial fails:\n${output}`
}

/** Node 22.19, brought to `.tools` as Node 24 is. */
async function oldestNode(): Promise<string> {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
  const host = { version: process.versions.node, path: process.execPath, platform: thisPlatform() }
  const { node } = await fetched({ root, env, run, say: () => undefined, host }, 'node22', ['node'])
  if (node === undefined) throw new Error(`there is no ${basename('node')}`)
  return node
}
