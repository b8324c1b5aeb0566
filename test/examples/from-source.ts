/** Given to Node with `--import`: packages of ours are read from their sources, as tests do. */
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository, sourceAliases } from '../../tools/vitest/aliases.ts'

const aliases = sourceAliases()

// Many processes read the same sources: to strip and compile them anew takes each more than half a second.
enableCompileCache(join(repository, '.cache/compiled'))
// Tests kill most of them, and only a process that ends by itself writes what it has compiled.
setTimeout(flushCompileCache, 1_000).unref()

registerHooks({
  resolve(specifier, context, next) {
    const alias = aliases.find(({ find }) => find.test(specifier))
    if (alias === undefined) return next(specifier, context)
    const path = specifier.replace(alias.find, alias.replacement)
    return { url: pathToFileURL(path).href, format: 'module-typescript', shortCircuit: true }
  },
})
