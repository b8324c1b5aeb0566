import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { newProject } from '../../../../tools/release/new-project.ts'
import { publishAtOnce } from '../../../../tools/release/publish-at-once.ts'
import { startRegistry } from '../../../../tools/release/registry.ts'
import { command } from '../../../../tools/test/command.ts'
import { publishedPackages } from '../../../../tools/workspace.ts'
import { DevSession } from '../../../install/dev-session.ts'
import type { Metrics } from '../../harness/bench.ts'
import { summarise } from '../../harness/statistics.ts'

const saves = 5

/** A project of a newcomer. */
export async function run(): Promise<Metrics> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-create-'))
  try {
    await using registry = await startRegistry()
    for (const { short, folder: cwd } of publishedPackages()) {
      const tarball = join(folder, `${short}.tgz`)
      const { code, output } = await command('pnpm', ['pack', '--out', tarball], { cwd })
      if (code !== 0) throw new Error(`packing ${short} failed:\n${output}`)
      await publishAtOnce(registry, tarball)
    }
    const make = (): Promise<string> =>
      newProject(folder, registry, {
        npm_config_prefer_offline: 'true',
        // Benches run as in production, where npm installs no tools.
        NODE_ENV: 'development',
      })
    // What the first one brings is in npm's cache for the second.
    rmSync(await make(), { recursive: true })
    const start = performance.now()
    const project = await make()
    const create_to_test_ms = performance.now() - start
    const files = readdirSync(project, { recursive: true, withFileTypes: true })
      .filter(one => one.isFile() && !/node_modules|\.wherry/.test(one.parentPath))
      .filter(({ name }) => name !== 'package-lock.json').length
    return { create_to_test_ms, save_to_reconciled_ms: await saved(project), files }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** From the save of a source to the object that it changes, in milliseconds. */
async function saved(project: string): Promise<number> {
  const session = new DevSession(project, join(project, 'node_modules/.bin/wherry'))
  try {
    await using client = new Client(await session.access())
    const games = defineResource<KubernetesObject & { spec: object }>({
      ...{ group: 'arcade.example.com', version: 'v1alpha1', kind: 'Game', plural: 'games', namespaced: true },
    })
    const key = { name: 'chess', namespace: 'default' }
    await client.create(games, { metadata: key, spec: { message: 'Hello' } })
    const source = join(project, 'src/reconcile.ts')
    const text = readFileSync(source, 'utf8')
    const times: number[] = []
    for (let save = 0; save <= saves; save += 1) {
      const message = save === 0 ? 'Hello' : `Hello ${save}`
      const start = performance.now()
      if (save > 0) writeFileSync(source, text.replace('object.spec.message', JSON.stringify(message)))
      const isThere = async (): Promise<boolean> => (await client.get(configMaps, key))?.data?.message === message
      await session.until(`the ConfigMap says ${message}`, isThere, 5)
      if (save > 0) times.push(performance.now() - start)
    }
    return summarise(times).median
  } finally {
    await session.end()
  }
}
