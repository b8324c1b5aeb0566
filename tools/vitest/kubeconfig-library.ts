import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { repository } from './aliases.ts'

const folder = join(repository, 'packages/client/node_modules/@kubernetes/client-node')

const contents = "export { KubeConfig } from './config.js'; export { loadYaml } from './yaml.js'"

/** The path of the file: another one for another version of the library, or for other contents. */
function fileOfVersion(): string {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package.json')))
    .update(contents)
    .digest('hex')
  return join(repository, `.cache/kubeconfig-library/${digest.slice(0, 12)}.mjs`)
}

/**
 * The part of `@kubernetes/client-node` with which our client reads a kubeconfig, in one file. A program of a test loads it instead of the library's 1,000 modules,
 * and so starts with a third of the processor time. See `test/examples/from-source.ts`.
 */
export const kubeconfigLibrary: string = fileOfVersion()

/** Makes the file if it is not there, before any test runs. */
export async function setup(): Promise<void> {
  if (existsSync(kubeconfigLibrary)) return
  mkdirSync(dirname(kubeconfigLibrary), { recursive: true })
  // Two runs may make it at once: each of them puts a whole file in its place.
  const own = `${kubeconfigLibrary}.${process.pid}`
  await build({
    ...{ stdin: { contents, resolveDir: join(folder, 'dist') }, outfile: own, bundle: true, minifyWhitespace: true },
    ...{ platform: 'node', format: 'esm', target: 'node22', logLevel: 'warning' },
    // Some of what it needs is CommonJS, which asks for modules of Node by `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  renameSync(own, kubeconfigLibrary)
}
