import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../dist/', import.meta.url))

/**
 * The program in plain JavaScript, as its users would deploy it: what it takes of this folder in one file, packages as
 * they are built. Node's own way to leave types out costs a process 17 MB of RSS, and time at its start.
 */
export async function asJavaScript(program: URL): Promise<string> {
  const source = fileURLToPath(program)
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}${source.split('/').slice(-2).join('-').replace(/\.ts$/, '.js')}`
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Not that of this tree, by which packages are their sources.
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return outfile
}
