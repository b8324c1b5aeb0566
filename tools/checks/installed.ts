import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The fields that are read of the package.json of a package that is installed. */
export interface Installed {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type: string } | undefined
  readonly dependencies?: Record<string, string> | undefined
}

/** What npm installs with packages that a program in `from` names: they, what they depend on, and so on, each by its name and version. */
export function installedWith(names: Iterable<string>, from: string): Map<string, Installed> {
  const seen = new Map<string, Installed>()
  for (const name of names) visit(name, from, seen)
  return seen
}

function visit(name: string, from: string, seen: Map<string, Installed>): void {
  const folder = resolveFolder(name, from)
  if (folder === undefined) throw new Error(`${name} is not installed (wanted by ${from})`)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Installed
  const key = `${manifest.name}@${manifest.version}`
  if (seen.has(key)) return
  seen.set(key, manifest)
  for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, folder, seen)
}

/** Where Node would find the package `name` from `folder`. */
function resolveFolder(name: string, folder: string): string | undefined {
  const candidate = join(folder, 'node_modules', name)
  if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
  const parent = dirname(folder)
  return parent === folder ? undefined : resolveFolder(name, parent)
}
