import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './bootstrap/lock.mjs'
import { inLanes } from './in-lanes.ts'
import { command } from './test/command.ts'
import { publishedPackages, root, type WorkspacePackage } from './workspace.ts'

/** Everything of a package that decides what its build gives, with that of the packages it leans on. */
function fingerprint(one: WorkspacePackage, of: ReadonlyMap<string, string>): string {
  const shared = ['tools/tsdown.ts', 'tsconfig.base.json', 'pnpm-lock.yaml'].map(name => join(root, name))
  const own = globSync('{src/**/*.ts,package.json,tsdown.config.ts,tsconfig.json}', { cwd: one.folder })
    .filter(name => !name.endsWith('.test.ts'))
    .sort()
    .map(name => join(one.folder, name))
  const hash = createHash('sha256')
  for (const file of [...shared, ...own]) hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file))
  for (const name of leansOn(one)) hash.update(of.get(name) ?? name)
  return hash.digest('hex')
}

/** The packages of ours that this one needs to be built first. */
function leansOn({ manifest }: WorkspacePackage): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(name =>
    name.startsWith('@wherry/'),
  )
}

/** The packages, each after those that it leans on. */
export function inOrder(packages: readonly WorkspacePackage[]): WorkspacePackage[] {
  const byName = new Map(packages.map(one => [one.name, one]))
  const ordered = new Set<WorkspacePackage>()
  const visit = (one: WorkspacePackage, trail: readonly string[]): void => {
    if (trail.includes(one.name)) throw new Error(`packages lean on each other: ${[...trail, one.name].join(' → ')}`)
    for (const name of leansOn(one)) {
      const other = byName.get(name)
      if (other) visit(other, [...trail, one.name])
    }
    ordered.add(one)
  }
  for (const one of packages) visit(one, [])
  return [...ordered]
}

/** Builds the packages that have other sources than their last whole build; gives the output of one that fails. */
export async function build(say: (line: string) => void = console.error): Promise<string | undefined> {
  const stale = (): [WorkspacePackage, string][] => {
    const prints = new Map<string, string>()
    return inOrder(publishedPackages()).flatMap(one => {
      const print = fingerprint(one, prints)
      prints.set(one.name, print)
      const built = existsSync(join(one.folder, 'dist/index.js')) && read(stamp(one)) === print
      return built ? [] : [[one, print] as [WorkspacePackage, string]]
    })
  }
  if (stale().length === 0) return undefined
  const onWait = (holder: number): void => say(`wherry: process ${holder} is building already; waiting for it`)
  return withLock(join(root, '.tools/build.lock'), onWait, async () => {
    // A build reads the sources of the other packages, not what was built of them: the order is no matter.
    const failures = await inLanes(2, stale(), async ([one, print]) => {
      say(`wherry: building ${one.name}`)
      rmSync(stamp(one), { force: true })
      const tsdown = join(root, 'node_modules/tsdown/dist/run.mjs')
      const ended = await command(process.execPath, [tsdown], { cwd: one.folder, limitMs: 300_000 })
      if (ended.code !== 0) return `building ${one.name} failed:\n${ended.output}`
      mkdirSync(join(root, '.cache/built'), { recursive: true })
      writeFileSync(stamp(one), print)
      return undefined
    })
    return failures.find(failure => failure !== undefined)
  })
}

function stamp(one: WorkspacePackage): string {
  return join(root, '.cache/built', one.short)
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

if (process.argv[1] === import.meta.filename) {
  const failure = await build()
  if (failure !== undefined) {
    console.error(failure)
    process.exitCode = 1
  }
}
