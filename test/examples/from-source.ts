/** Given to Node with `--import`: packages of ours are read from their sources, as tests do. */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { sourceAliases } from '../../tools/vitest/aliases.ts'

const aliases = sourceAliases()

registerHooks({
  resolve(specifier, context, next) {
    const alias = aliases.find(({ find }) => find.test(specifier))
    if (alias === undefined) return next(specifier, context)
    const path = specifier.replace(alias.find, alias.replacement)
    return { url: pathToFileURL(path).href, format: 'module-typescript', shortCircuit: true }
  },
})
