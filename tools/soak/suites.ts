import { join, relative } from 'node:path'
import { packagesIn, publishedPackages, root } from '../workspace.ts'

/** Test files of the random suites by the suite's name. */
export function suites(): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, folder, manifest } of [...publishedPackages(), ...packagesIn(join(root, 'test'))]) {
    for (const [suite, file] of Object.entries(manifest.wherry?.soak ?? {})) {
      if (found.has(suite)) throw new Error(`two suites are called ${suite}; one is in ${name}`)
      found.set(suite, relative(root, join(folder, file)))
    }
  }
  return found
}
