/**
 * Given to Node with `--import`: packages of ours are read from their sources, as tests do. With `WHERRY_BUILT=true` they are read as they
 * were built, which takes a program a third of a second less to start: a run of all tests has built them.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository, sourceAliases } from '../../tools/vitest/aliases.ts'

const aliases = sourceAliases()
const isBuilt = process.env.WHERRY_BUILT === 'true'
/** The library with which our client reads a kubeconfig, in one file (`tools/vitest/kubeconfig-library.ts`). */
const kubeconfigLibrary = process.env.WHERRY_KUBECONFIG_LIBRARY

// Many processes read the same sources: to strip and compile them again takes each more than half a second.
enableCompileCache(join(repository, '.cache/compiled'))
// Tests kill most of them, and only a process that ends by itself writes what it has compiled.
setTimeout(flushCompileCache, 1_000).unref()

/** What was built of a source file, if it is an entry of its package. */
function builtOf(source: string): string | undefined {
  const built = source.replace(/(packages[\\/][^\\/]+[\\/])src([\\/].+)\.ts$/, '$1dist$2.js')
  return isBuilt && existsSync(built) ? built : undefined
}

/** Other importers, such as the clients that the demo compares ours with, load the library as it is. */
function isOfOurClient(importer = ''): boolean {
  return importer.includes('/packages/client/')
}

registerHooks({
  resolve(specifier, context, next) {
    // Of a file that is named whole there is nothing to look for.
    if (/^\..*\.ts$/.test(specifier) && context.parentURL !== undefined)
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    if (specifier === '@kubernetes/client-node' && kubeconfigLibrary && isOfOurClient(context.parentURL))
      return { url: pathToFileURL(kubeconfigLibrary).href, format: 'module', shortCircuit: true }
    const alias = aliases.find(({ find }) => find.test(specifier))
    if (alias === undefined) return next(specifier, context)
    const source = specifier.replace(alias.find, alias.replacement)
    const built = builtOf(source)
    const format = built === undefined ? 'module-typescript' : 'module'
    return { url: pathToFileURL(built ?? source).href, format, shortCircuit: true }
  },
})
