import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { type Packed, packed } from '../../tools/checks/packed.ts'
import { npm } from '../../tools/release/npm.ts'
import { root } from '../../tools/workspace.ts'

/** A project outside of the workspace that has installed the packages as they are published. */
export interface OutsideProject extends Disposable {
  readonly folder: string
  /** The folder in it with CommonJS files. */
  readonly commonJs: string
  /** What can be imported of all packages, but for what needs another program's package. */
  readonly doors: readonly string[]
}

/** What needs vitest, which the project has not. */
const withoutPeer = new Set(['@wherry/testing/vitest'])

/** A test of jest. This workspace has no types of its globals. */
const inJest = `import { small } from './esm/small.js'

test('an operator in jest', async () => {
  expect(await small()).toBe('1')
})
`

export async function outsideProject(): Promise<OutsideProject> {
  const packages = await packed()
  const folder = mkdtempSync(join(tmpdir(), 'wherry runs on '))
  const commonJs = join(folder, 'common-js')
  try {
    const versions = Object.fromEntries(packages.map(({ one, tarball }) => [one.name, `file:${tarball}`]))
    const manifest = {
      ...{ name: 'runs-on', private: true, type: 'module', dependencies: { ...versions, ...others() } },
      // So that each takes the others from their files, and not from a registry.
      overrides: Object.fromEntries(Object.keys(versions).map(name => [name, `$${name}`])),
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    const { code, output } = await npm(folder, ['install', ...quietly])
    if (code !== 0) throw new Error(`npm install fails:\n${output}`)
    cpSync(join(import.meta.dirname, 'programs'), folder, { recursive: true })
    for (const file of ['main.ts', 'operator.ts', 'game.ts'])
      cpSync(join(root, 'examples/quickstart', file), join(folder, 'quickstart', file))
    cpSync(join(root, 'examples/quickstart/deploy/crd'), join(folder, 'crd'), { recursive: true })
    writeFileSync(join(folder, 'in-jest.mjs'), inJest)
    mkdirSync(commonJs)
    writeFileSync(join(commonJs, 'package.json'), '{ "type": "commonjs" }')
    for (const file of ['small.ts', 'require.cjs']) cpSync(join(folder, file), join(commonJs, file))
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const doors = packages.flatMap(doorsOf).filter(door => !withoutPeer.has(door))
  return { folder, commonJs, doors, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** What the programs need that is not ours, in the versions of the workspace. */
function others(): Record<string, string> {
  const of = (path: string): Record<string, string> =>
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).devDependencies
  const { typescript = '', '@types/node': nodeTypes = '' } = of('.')
  const { 'prom-client': promClient = '' } = of('packages/controller')
  const { '@kubernetes/client-node': clientNode = '' } = of('packages/client')
  return { typescript, '@types/node': nodeTypes, 'prom-client': promClient, '@kubernetes/client-node': clientNode }
}

/** A package's front doors; of one with a star each that there is. */
function doorsOf({ one }: Packed): string[] {
  return Object.entries(one.manifest.exports ?? {}).flatMap(([door, target]) => {
    const [before = '', after] = target.default.split('*')
    if (after === undefined) return [posix.join(one.name, door)]
    const files = globSync(`${before}**/*${after}`, { cwd: one.folder })
    const inner = files.map(file => posix.relative(before, file.replaceAll('\\', '/')).slice(0, -after.length))
    return inner.map(name => posix.join(one.name, door.replace('*', name)))
  })
}
