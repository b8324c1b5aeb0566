import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Manifest, userOf } from '../../tools/runner/manifest.ts'
import { writePodKubeconfig } from '../../tools/runner/pod-kubeconfig.ts'
import { untilOf } from '../../tools/runner/until.ts'
import { definition } from './games-definition.ts'

const fromSource = new URL('../examples/from-source.ts', import.meta.url).href
const commandLine = new URL('../../packages/cli/src/bin.ts', import.meta.url).pathname
const program = new URL('./deployed.ts', import.meta.url).pathname
const names = { group: 'arcade.example.com', kind: 'Game', plural: 'games', namespaced: true } as const
const games = defineResource<KubernetesObject & { spec: object }>({ ...names, version: 'v1' })
const oldGames = defineResource<KubernetesObject & { spec: object }>({ ...names, version: 'v1beta1' })

let folder: string
/** By the operator. */
let said: string
let child: ChildProcess | undefined

beforeEach(async () => {
  said = ''
  folder = await mkdtemp(join(tmpdir(), 'wherry-deployed-webhooks-'))
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await mkdir(join(folder, '.wherry/rights'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), JSON.stringify(definition))
  const rights = [{ verb: 'watch', group: names.group, resource: 'games', namespace: 'default' }]
  await writeFile(join(folder, '.wherry/rights/plays.json'), JSON.stringify({ test: 'plays', rights }))
})

afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  child = undefined
  await rm(folder, { recursive: true })
})

const token = 'token-of-the-pod'

/** The port that the operator says it serves its webhooks at. */
function servedPort(process: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stderr?.setEncoding('utf8').on('data', (more: string) => {
      said += more
      const found = /webhooks are served.*?port\W+(\d+)/.exec(said)
      if (found !== null) resolve(Number(found[1]))
    })
    process.once('close', code => reject(new Error(`the operator ended with ${code}: ${said}`)))
  })
}

/** A call as an API server in a cluster makes it: to the Service, by the bundle that it has. */
async function post(call: { host: string; port: number; path: string; ca: string }, review: unknown): Promise<unknown> {
  const { host: servername, port, path, ca } = call
  const headers = { 'content-type': 'application/json' }
  const asked = request({ host: '127.0.0.1', method: 'POST', servername, port, path, ca, headers, agent: false })
  asked.end(JSON.stringify(review))
  const [answer] = await once(asked, 'response')
  return JSON.parse(await text(answer))
}

describe.each(['apply', 'manifest'])('the manifests of an operator with webhooks (configurations: %s)', way => {
  it('K7: are enough, applied as they are: it runs with these rights, converts, and refuses a bad object', async () => {
    const line = ['manifests', program, '--name', 'arcade', '--out', 'deploy']
    const env = { ...process.env, CONFIGURATIONS: way }
    await promisify(execFile)(process.execPath, ['--import', fromSource, commandLine, ...line], { cwd: folder, env })
    const written = await readFile(join(folder, 'deploy/arcade.yaml'), 'utf8')
    expect(written.includes('ValidatingWebhookConfiguration')).toBe(way === 'manifest')
    expect(written + (await readFile(join(folder, 'deploy/kustomization.yaml'), 'utf8'))).not.toContain('caBundle')

    const manifest = new Manifest(folder)
    const { user, groups } = userOf(manifest.workload)
    let port = 0
    let admin: Client | undefined
    await using server = await startApiServer({
      ...{ authorization: 'RBAC', tokens: { [token]: { name: user, groups } } },
      webhooks: async ({ service, review }) => {
        expect(service).toMatchObject({ namespace: 'arcade', name: 'arcade-webhooks', port: 443 })
        const configuration = await admin?.get(validatingWebhookConfigurations, { name: 'arcade' })
        const found = await admin?.get(customResourceDefinitions, { name: 'games.arcade.example.com' })
        const bundle = service?.path.startsWith('/convert/')
          ? found?.spec.conversion?.webhook?.clientConfig?.caBundle
          : configuration?.webhooks?.[0]?.clientConfig.caBundle
        const ca = Buffer.from(bundle ?? '', 'base64').toString()
        return post({ host: 'arcade-webhooks.arcade.svc', port, path: service?.path ?? '', ca }, review)
      },
    })
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    admin = client
    await manifest.create(
      server,
      client,
      untilOf(new AbortController().signal, () => {}),
    )
    await writePodKubeconfig(join(folder, 'kubeconfig'), server, { token, namespace: 'arcade' })
    const variables = { KUBECONFIG: join(folder, 'kubeconfig'), PORT: '0', WEBHOOK_PORT: '0', CONFIGURATIONS: way }
    child = spawn(process.execPath, ['--import', fromSource, program], {
      ...{ cwd: folder, env: { ...process.env, ...variables }, stdio: ['ignore', 'ignore', 'pipe'] },
    })
    port = await servedPort(child)
    const game = (name: string, spec: object) => ({ metadata: { name, namespace: 'default' }, spec })
    await vi.waitFor(async () => {
      const refusal = client.create(games, game('chess', { players: 9 }), { dryRun: true })
      await expect(refusal).rejects.toThrow('spec.players: at most 8 players')
    })
    await client.create(oldGames, game('go', { size: 2 }))
    expect((await client.get(games, { name: 'go', namespace: 'default' }))?.spec).toEqual({ players: 2 })
    expect(await client.get(mutatingWebhookConfigurations, { name: 'arcade' })).toBeUndefined()
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(said).not.toMatch(/forbidden|cannot/)
  })
})
