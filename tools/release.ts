/**
 * Publishes the packages: `npm run release`. It builds, packs and looks at them first, as `npm test` does. `-- --dry-run` publishes to a registry that
 * it starts on this machine, and installs from there as a user does. `-- --serve` keeps that registry, until Ctrl+C, for trying a release.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inOrder } from './build.ts'
import { packed } from './checks/packed.ts'
import { checkPublint, checkTypesAreRight } from './checks/publish.ts'
import { newProject } from './release/new-project.ts'
import { npm } from './release/npm.ts'
import { publishAtOnce } from './release/publish-at-once.ts'
import { startRegistry } from './release/registry.ts'
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
const tarballs = new Map((await packed()).map(({ one, tarball }) => [one.name, tarball]))
// A package comes after those that it needs: nobody can install one that is half there.
const packages = inOrder(publishedPackages()).map(({ name }) => ({ name, tarball: tarballs.get(name) ?? '' }))
for (const check of [checkPublint, checkTypesAreRight]) {
  const { failures } = await check()
  if (failures.length > 0) fail(failures.join('\n'))
}
if (isServing) await serve()
else if (isDry) await tryOut()
else {
  await publish({})
  console.log(`${version} is published`)
}

async function tryOut(): Promise<void> {
  await using registry = await startRegistry()
  await publish({ npm_config_userconfig: registry.npmrc })
  const folder = mkdtempSync(join(tmpdir(), 'wherry release '))
  try {
    await newProject(folder, registry)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

/** Publishes those that are not there yet: a release that broke off goes on. */
async function publish(more: NodeJS.ProcessEnv): Promise<void> {
  const env = { npm_config_loglevel: 'error', ...more }
  for (const { name: plain, tarball } of packages) {
    const name = `${plain}@${version}`
    const there = await npm(root, ['view', name, 'version'], env)
    if (there.code === 0 && there.output.trim() !== '') {
      console.log(`${name} is there already`)
      continue
    }
    // Each package asks for it (`publishConfig`): without an identity of the workflow a release fails. A registry on this machine can't have it.
    const provenance = isDry ? ['--no-provenance'] : []
    const { code, output } = await npm(root, ['publish', tarball, '--access', 'public', ...provenance], env)
    if (code !== 0) fail(`${name} was not published:\n${output}`)
    console.log(`${name} is published`)
  }
}

function fail(message: string): never {
  console.error(`release: ${message}`)
  process.exit(1)
}
