import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Found } from '../test/step.ts'
import { publishedPackages } from '../workspace.ts'

/** Licences that ask for nothing which Apache-2.0 does not allow. */
const allowed = new Set([
  ...['Apache-2.0', 'MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['BlueOak-1.0.0', 'CC0-1.0', 'Unlicense', 'Python-2.0'],
])

interface Installed {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type: string } | undefined
  readonly dependencies?: Record<string, string> | undefined
}

/** Whether an SPDX expression leaves us a choice of allowed licences only. */
export function isAllowed(expression: string): boolean {
  const bare = expression.replace(/[()]/g, '')
  return bare.split(/ OR /i).some(choice => choice.split(/ AND /i).every(name => allowed.has(name.trim())))
}

/** Every dependency that a user of the packages gets, theirs included, must have an allowed licence. */
export function checkLicences(): Found {
  const seen = new Map<string, string>()
  for (const { folder, manifest } of publishedPackages())
    for (const name of Object.keys(manifest.dependencies ?? {})) visit(name, folder, seen)
  const failures = [...seen]
    .filter(([, licence]) => !isAllowed(licence))
    .map(([name, licence]) => `${name}: ${licence}`)
  if (failures.length > 0) return { passed: 0, failures }
  return { passed: 1, failures, notes: [`${seen.size} dependencies of the packages`] }
}

function visit(name: string, from: string, seen: Map<string, string>): void {
  const folder = resolveFolder(name, from)
  if (folder === undefined) throw new Error(`${name} is not installed (wanted by ${from})`)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Installed
  const key = `${manifest.name}@${manifest.version}`
  if (seen.has(key)) return
  const { license } = manifest
  if (!name.startsWith('@wherry/'))
    seen.set(key, (typeof license === 'string' ? license : license?.type) ?? 'no licence given')
  for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, folder, seen)
}

/** Where Node would find the package `name` from `folder`. */
function resolveFolder(name: string, folder: string): string | undefined {
  const candidate = join(folder, 'node_modules', name)
  if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
  const parent = dirname(folder)
  return parent === folder ? undefined : resolveFolder(name, parent)
}
