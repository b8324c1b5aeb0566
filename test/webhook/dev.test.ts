import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Shown } from '../../packages/cli/src/dev/overview.ts'
import { definition } from './games-definition.ts'

const fromSource = new URL('../examples/from-source.ts', import.meta.url).href
const commandLine = new URL('../../packages/cli/src/bin.ts', import.meta.url).pathname
const names = { group: 'arcade.example.com', kind: 'Game', plural: 'games', namespaced: true } as const
const games = defineResource<KubernetesObject & { spec: object }>({ ...names, version: 'v1' })
const oldGames = defineResource<KubernetesObject & { spec: object }>({ ...names, version: 'v1beta1' })

let folder: string
let child: ChildProcess | undefined
let said: string

beforeEach(async () => {
  said = ''
  folder = await mkdtemp(join(tmpdir(), 'wherry-dev-webhooks-'))
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'deploy/crd/games.json'), JSON.stringify(definition))
  await cp(new URL('./deployed.ts', import.meta.url), join(folder, 'src/main.ts'))
})

afterEach(async () => {
  await ended()
  await rm(folder, { recursive: true })
})

/** Presses Ctrl+C, and waits for the end. */
async function ended(): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGINT')
  await closed
}

/** Runs `wherry dev` with these options. */
function dev(options: string, env: NodeJS.ProcessEnv = {}): void {
  const args = ['--import', fromSource, commandLine, 'dev', '--page', '0', ...options.split(' ')]
  child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'pipe' })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
}

const says = (words: string | RegExp): Promise<void> => vi.waitFor(() => expect(said).toMatch(words))

/** What the page is sent first. */
async function shown(): Promise<Shown> {
  const page = new URL(/http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/.exec(said)?.[0] ?? '')
  page.pathname = '/events'
  const leave = new AbortController()
  const { body } = await fetch(page, { signal: leave.signal })
  const { value } = (await body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {}
  leave.abort()
  return JSON.parse(`${value}`.slice('data: '.length).split('\n\n')[0] ?? '')
}

/** A client of the server that `wherry dev` runs. */
async function connected(): Promise<Client> {
  await says(/webhooks are served/)
  const { clusters, users } = JSON.parse(await readFile(join(folder, '.wherry/kubeconfig'), 'utf8'))
  const [{ cluster }, { user }] = [clusters[0], users[0]]
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString()
  return new Client({ url: cluster.server, ca, token: user.token })
}

const game = (name: string, spec: object) => ({ metadata: { name, namespace: 'default' }, spec })

it('dev serves webhooks on this machine, shows each admission, and takes a webhook away with its process', async () => {
  dev('--port 0 --keep kept.json')
  {
    await using client = await connected()
    // From that line on the very first request is reviewed.
    await says('webhooks: player-limit is asked from now on')
    const refusal = client.create(games, game('chess', { players: 9 }), { dryRun: true })
    await expect(refusal).rejects.toThrow('spec.players: at most 8 players')
    await client.create(oldGames, game('go', { size: 2 }))
    const { admissions } = await shown()
    expect(admissions[0]).toMatchObject({
      ...{ webhook: 'player-limit', operation: 'CREATE', resource: 'games.arcade.example.com', object: 'default/go' },
      ...{ allowed: true, isDryRun: false, message: '', changes: [], warnings: [] },
    })
    expect(admissions.at(-1)).toMatchObject({
      ...{ object: 'default/chess', allowed: false, isDryRun: true, message: 'spec.players: at most 8 players' },
    })
    // Of what no source declares any more nothing stays.
    const main = await readFile(join(folder, 'src/main.ts'), 'utf8')
    await writeFile(join(folder, 'src/main.ts'), 'throw new Error("a fault of the user")\n')
    await says('a fault of the user')
    await says(/webhooks: player-limit.* not asked until src\/main.ts runs again: nothing is refused/)
    said = said.replaceAll('is asked from now on', '')
    await vi.waitFor(async () => expect((await client.list(validatingWebhookConfigurations)).items).toEqual([]))
    await client.create(games, game('chess', { players: 9 }))
    await writeFile(join(folder, 'src/main.ts'), main)
    await vi.waitFor(async () => expect((await client.list(validatingWebhookConfigurations)).items).toHaveLength(1))
    await says('webhooks: player-limit is asked from now on')
  }
  await ended()
  const { items } = JSON.parse(await readFile(join(folder, 'kept.json'), 'utf8')) as { items: { kind: string }[] }
  expect(items.map(({ kind }) => kind)).not.toContain('ValidatingWebhookConfiguration')
  said = ''
  dev('--port 0 --keep kept.json')
  await using client = await connected()
  expect((await client.list(games)).items.map(one => one.metadata?.name)).toEqual(['chess', 'go'])
})

it('dev --cluster says in one line that webhooks are left out, and goes on without', async () => {
  await using server: ApiServer = await startApiServer()
  const kubeconfig = join(folder, 'kubeconfig')
  await server.writeKubeconfig(kubeconfig)
  dev('--cluster --yes', { KUBECONFIG: kubeconfig })
  await says("the cluster can't reach the webhooks of arcade on this machine: they are left out\n")
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await says('has synced, and reconciles')
  await client.create(games, game('chess', { players: 9 }))
  expect((await client.list(validatingWebhookConfigurations)).items).toEqual([])
})
