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

// Many processes read the same sources: to strip and compile them again takes each more than half a second.
enableCompileCache(join(repository, '.cache/compiled'))
// Tests kill most of them, and only a process that ends by itself writes what it has compiled.
setTimeout(flushCompileCache, 1_000).unref()

/** What was built of a source file, if it is an entry of its package. */
function builtOf(source: string): string | undefined {
  const built = source.replace(/(packages[\\/][^\\/]+[\\/])src([\\/].+)\.ts$/, '$1dist$2.js')
  return isBuilt && existsSync(built) ? built : undefined
}

registerHooks({
  resolve(specifier, context, next) {
    // Of a file that is named whole there is nothing to look for.
    if (/^\..*\.ts$/.test(specifier) && context.parentURL !== undefined)
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    const alias = aliases.find(({ find }) => find.test(specifier))
    if (alias === undefined) return next(specifier, context)
    const source = specifier.replace(alias.find, alias.replacement)
    const built = builtOf(source)
    const format = built === undefined ? 'module-typescript' : 'module'
    return { url: pathToFileURL(built ?? source).href, format, shortCircuit: true }
  },
})
