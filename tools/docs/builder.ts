import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../bootstrap/spawn.mjs'
import { locked, thisPlatform } from '../bootstrap/toolchain.mjs'
import { toolEnvironment } from '../test/command.ts'
import { root } from '../workspace.ts'

/** The files of VitePress, TypeDoc and their plugins that are run or loaded. */
export interface SiteBuilder {
  /** The `node_modules` that has them all. */
  readonly modules: string
  readonly vitepress: string
  readonly typedoc: string
  readonly typedocPlugins: readonly string[]
}

/** What builds the site, by the lock in `tools/toolchain/site`. The first call fetches it from npm, into `.tools`. */
export async function siteBuilder(): Promise<SiteBuilder> {
  const source = join(root, 'tools/toolchain/site')
  const [manifest = '', lock = ''] = ['package.json', 'package-lock.json'].map(name =>
    readFileSync(join(source, name), 'utf8'),
  )
  const host = { version: process.versions.node, path: process.execPath, platform: thisPlatform() }
  const say = (line: string): void => void process.stderr.write(`wherry: ${line}\n`)
  const around = { root, env: toolEnvironment(), run, say, host }
  const modules = join(await locked(around, 'site', 'VitePress', { manifest, lock }), 'node_modules')
  return {
    modules,
    vitepress: join(modules, 'vitepress/bin/vitepress.js'),
    typedoc: join(modules, 'typedoc/bin/typedoc'),
    typedocPlugins: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'].map(name =>
      join(modules, name, 'dist/index.js'),
    ),
  }
}
