import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The root of the work tree. */
export const root: string = resolve(import.meta.dirname, '..')

/** What the tools read of a package.json; `wherry` is ours. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string | undefined
  readonly exports?: Record<string, { readonly default: string }> | undefined
  readonly dependencies?: Record<string, string> | undefined
  readonly devDependencies?: Record<string, string> | undefined
  readonly peerDependencies?: Record<string, string> | undefined
  readonly optionalDependencies?: Record<string, string> | undefined
  readonly wherry?: Claims | undefined
}

/** What a package says of itself to the tools. */
export interface Claims {
  /** The numbered rules of docs/guarantees that its tests prove. */
  readonly rules?: readonly string[] | undefined
  /** Random suites by name: a test file, relative to the package. */
  readonly soak?: Readonly<Record<string, string>> | undefined
  /** Core files with tests that are tested by mutation; with the tests that are to notice, where those are not all. */
  readonly mutants?: string[] | Readonly<Record<string, string[]>> | undefined
  /** The most bytes that the code behind its entry points may have. */
  readonly maxBytes?: number | undefined
}

/** A folder of the workspace with a package.json. */
export interface WorkspacePackage {
  /** `client` for `packages/client`. */
  readonly short: string
  readonly name: string
  readonly folder: string
  readonly manifest: Manifest
}

/** The packages in `parent`, by name. */
export function packagesIn(parent: string): WorkspacePackage[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort()
    .filter(short => existsSync(join(parent, short, 'package.json')))
    .map(short => {
      const folder = join(parent, short)
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
      return { short, name: manifest.name, folder, manifest }
    })
}

/** The packages that are published: `packages/*`. */
export function publishedPackages(workTree: string = root): WorkspacePackage[] {
  return packagesIn(join(workTree, 'packages'))
}
