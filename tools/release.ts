/**
 * Publishes the packages: `npm run release`. It builds, packs and looks at them first, as `npm test` does. `-- --dry-run` publishes to a registry that
 * it starts on this machine, and installs from there as a user does. `-- --serve` keeps that registry, until Ctrl+C, for trying a release.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Packed, packed } from './checks/packed.ts'
import { checkPublint, checkTypesAreRight } from './checks/publish.ts'
import { publishAtOnce } from './release/publish-at-once.ts'
import { startRegistry } from './release/registry.ts'
import { command } from './test/command.ts'
import { publishedPackages, root } from './workspace.ts'

const args = process.argv.slice(2)
const unknown = args.find(one => one !== '--dry-run' && one !== '--serve')
if (unknown !== undefined) fail(`${unknown} is unknown; there are --dry-run and --serve`)
const isServing = args.includes('--serve')
const isDry = isServing || args.includes('--dry-run')
/** Where Verdaccio is, if nobody says otherwise. */
const servedPort = 4873

const versions = new Set(publishedPackages().map(({ manifest }) => manifest.version))
if (versions.size !== 1) fail(`the packages have different versions: ${[...versions].join(', ')}`)
const [version = ''] = versions
if (!isDry) {
  if (version === '0.0.0') fail('the version is 0.0.0: run npx changeset version, and commit what it writes')
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (changes !== '') fail(`the work tree has changes:\n${changes}`)
}
console.log(`building and packing ${version}`)
const packages = inOrder(await packed())
for (const check of [checkPublint, checkTypesAreRight]) {
  const { failures } = await check()
  if (failures.length > 0) fail(failures.join('\n'))
}
if (isServing) await serve()
else if (isDry) await tryOut()
else {
  await publish(packages, {})
  console.log(`${version} is published`)
}

async function tryOut(): Promise<void> {
  await using registry = await startRegistry()
  await publish(packages, { npm_config_userconfig: registry.npmrc })
  await install({ npm_config_userconfig: registry.npmrc })
  console.log('a release would go well: nothing left this machine')
}

async function serve(): Promise<void> {
  await using registry = await startRegistry(servedPort)
  for (const { tarball } of packages) await publishAtOnce(registry, tarball)
  console.log(`until Ctrl+C, for another terminal:\nexport npm_config_registry=${registry.url}`)
  await new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
}

/** A package comes after those that it needs: nobody can install one that is half there. */
function inOrder(all: readonly Packed[]): readonly Packed[] {
  const done = new Set<string>()
  const result: Packed[] = []
  const add = (one: Packed): void => {
    if (done.has(one.one.name)) return
    done.add(one.one.name)
    for (const name of Object.keys(one.one.manifest.dependencies ?? {})) {
      const needed = all.find(other => other.one.name === name)
      if (needed !== undefined) add(needed)
    }
    result.push(one)
  }
  for (const one of all) add(one)
  return result
}

/** Publishes those that are not there yet: a release that broke off goes on. */
async function publish(all: readonly Packed[], env: NodeJS.ProcessEnv): Promise<void> {
  for (const { one, tarball } of all) {
    const name = `${one.name}@${version}`
    const there = await npm(['view', name, 'version'], env)
    if (there.code === 0 && there.output.trim() !== '') {
      console.log(`${name} is there already`)
      continue
    }
    const provenance = process.env.GITHUB_ACTIONS === 'true' && !isDry ? ['--provenance'] : []
    const { code, output } = await npm(['publish', tarball, '--access', 'public', ...provenance], env)
    if (code !== 0) fail(`${name} was not published:\n${output}`)
    console.log(`${name} is published`)
  }
}

/** Makes a project from what was published, and runs its tests. */
async function install(env: NodeJS.ProcessEnv): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry release '))
  try {
    const create = ['create', '--yes', 'wherry-operator', 'game-operator', '--']
    const project = join(folder, 'game-operator')
    for (const [cwd, line] of [
      [folder, [...create, '--group', 'arcade.example.com', '--kind', 'Game']],
      [project, ['install']],
      [project, ['test']],
    ] as const) {
      const { code, output } = await npm(line, env, cwd)
      if (code !== 0) fail(`npm ${line.join(' ')} fails:\n${output}`)
      console.log(`npm ${line.join(' ')}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** npm as a user has it, with none of the variables that `npm run` itself was given. */
function npm(line: readonly string[], env: NodeJS.ProcessEnv, cwd: string = root): ReturnType<typeof command> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|command|config_local_prefix)/.test(name),
  )
  return command('npm', line, {
    cwd,
    env: { ...Object.fromEntries(own), npm_config_loglevel: 'error', ...env },
    limitMs: 600_000,
  })
}

function fail(message: string): never {
  console.error(`release: ${message}`)
  process.exit(1)
}
