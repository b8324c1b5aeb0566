import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { publishAtOnce } from '../../../../tools/release/publish-at-once.ts'
import { startRegistry } from '../../../../tools/release/registry.ts'
import { command, toolEnvironment } from '../../../../tools/test/command.ts'
import { publishedPackages } from '../../../../tools/workspace.ts'
import { npm } from '../../../install/npm.ts'
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
    const env = {
      npm_config_userconfig: registry.npmrc,
      npm_config_loglevel: 'error',
      npm_config_prefer_offline: 'true',
      // Benches run as in production, where npm installs no tools.
      NODE_ENV: 'development',
    }
    const create = ['create', '--yes', 'wherry-operator', 'game-operator', '--']
    const args = [...create, '--group', 'arcade.example.com', '--kind', 'Game']
    const project = join(folder, 'game-operator')
    const make = async (): Promise<number> => {
      const start = performance.now()
      for (const [cwd, line] of [
        [folder, args],
        [project, ['install']],
        [project, ['test']],
      ] as const) {
        const { code, output } = await npm(cwd, line, env)
        if (code !== 0) throw new Error(`npm ${line.join(' ')} fails:\n${output}`)
      }
      return performance.now() - start
    }
    // What the first one brings is in npm's cache for the second.
    await make()
    rmSync(project, { recursive: true })
    const create_to_test_ms = await make()
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
  const bin = join(project, 'node_modules/.bin/wherry')
  const child = spawn(process.execPath, [bin, 'dev', '--port', '0', '--page', '0'], {
    cwd: project,
    env: toolEnvironment(),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const exit = once(child, 'exit')
  try {
    while (!said.includes('export KUBECONFIG=')) {
      if (child.exitCode !== null) throw new Error(`wherry dev has ended:\n${said}`)
      await after(10)
    }
    const { clusters, users } = JSON.parse(readFileSync(join(project, '.wherry/kubeconfig'), 'utf8'))
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
    await using client = new Client({ url: clusters[0].cluster.server, ca, token: users[0].user.token })
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
      while ((await client.get(configMaps, key))?.data?.message !== message) await after(5)
      if (save > 0) times.push(performance.now() - start)
    }
    return summarise(times).median
  } finally {
    child.kill('SIGTERM')
    await exit
  }
}
