import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const bench = new URL('../dist/', import.meta.url)

/**
 * The program in plain JavaScript, as its users would deploy it: packages as they are built, and what it imports only at
 * times in a file of its own. Node's own way to leave types out costs a process 17 MB of RSS, and time at its start.
 *
 * @param to where it is written: below a package that has what the program imports. By default that of the benchmarks
 */
export async function asJavaScript(program: URL, to: URL = bench): Promise<string> {
  const folder = fileURLToPath(to)
  const source = fileURLToPath(program)
  const [within = '', name = ''] = source.split('/').slice(-2)
  await build({
    entryPoints: [source],
    outdir: folder + within,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Not that of this tree, by which packages are their sources.
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return `${folder}${within}/${name.replace(/\.ts$/, '.js')}`
}
