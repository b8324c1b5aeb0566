import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { validatingAdmissionPolicyBindings } from '@wherry/client/resources/admissionregistration'
import { configMaps } from '@wherry/client/resources/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../run.ts'
import { playerLimit } from '../testkit/policies.ts'
import type { Shown } from './overview.ts'

const fromSource = new URL('../../../../test/examples/from-source.ts', import.meta.url).href

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-dev-'))
  await mkdir(join(folder, 'src'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** Says what an operator would, once its file says a word. */
const program = (word: string): string => `
import { channel } from 'node:diagnostics_channel'
const cause = { source: 'for', change: 'updated', object: 'default/a', changes: { paths: ['spec.title'], managers: ['kubectl'] } }
const run = { controller: 'game', key: 'default/a', cause, outcome: 'done', error: undefined, startedAt: 1, tookMs: 2 }
channel('wherry.operator.start').publish({
  name: ${JSON.stringify(word)},
  state: () => ({ controllers: [{ name: 'game', views: ['games'], pending: [] }], views: [] }),
  explain: (controller, key) => controller + ' of ' + key + ' in ' + process.env.KUBECONFIG,
  async *runs() { yield run; yield { ...run, error: new Error('too big'), outcome: 'failed' } },
})
console.log(${JSON.stringify(`${word} runs`)})
process.once('SIGTERM', () => { console.log(${JSON.stringify(`${word} stops`)}); process.exit(0) })
setInterval(() => {}, 1000)
`

const main = (text: string): Promise<void> => writeFile(join(folder, 'src/main.mjs'), text)

class Dev {
  said = ''
  readonly #ending = new AbortController()
  readonly status: Promise<number>

  constructor(...args: string[]) {
    const write = (text: string): void => {
      this.said += text
    }
    const host = { stdout: { write }, stderr: { write }, cwd: folder, ending: () => this.#ending.signal }
    const ports = args.includes('--page') ? [] : ['--port', '0', '--page', '0']
    this.status = runCommand(['dev', 'src/main.mjs', ...ports, ...args], host)
  }

  /** Waits until it has said this. */
  async says(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.said).toContain(text))
  }

  get page(): string {
    return this.at('/')
  }

  /** A path of the page, with its token. */
  at(path: string, query: Readonly<Record<string, string>> = {}): string {
    const [, origin = '', token = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/\?token=(\w+)/.exec(this.said) ?? []
    return `${origin}${path}?${new URLSearchParams({ ...query, token })}`
  }

  /** The overview, when it is as expected. */
  async shows(isExpected: (shown: Shown) => boolean): Promise<Shown> {
    const ending = new AbortController()
    const response = await fetch(this.at('/events'), { signal: ending.signal })
    let text = ''
    try {
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        for (const [, data = ''] of text.matchAll(/data: (.*)\n\n/g)) {
          const shown = JSON.parse(data) as Shown
          if (isExpected(shown)) return shown
        }
      }
    } finally {
      ending.abort()
    }
    throw new Error(`it never was: ${text}`)
  }

  async end(): Promise<number> {
    this.#ending.abort()
    return await this.status
  }
}

const definition = (plural: string, names: object = {}) =>
  JSON.stringify({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.arcade.example.com` },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural, kind: plural.slice(0, -1), ...names } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })

const resource = (plural: string) =>
  defineResource<KubernetesObject>({
    ...{ group: 'arcade.example.com', version: 'v1', kind: plural.slice(0, -1), plural, namespaced: true },
  })

it('a script that writes policies of a module runs once, and the server has them', async () => {
  // The command is a process of its own, and nothing may be built yet.
  vi.stubEnv('NODE_OPTIONS', `--import ${fromSource}`)
  const script = 'wherry crd src/policies.mjs --out deploy/crd'
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { policies: script } }))
  await writeFile(join(folder, 'src/policies.mjs'), `export const limit = ${JSON.stringify(playerLimit)}`)
  await main(program('game'))
  const dev = new Dev()
  try {
    await dev.says('player-limit.policy.yaml: written')
    await using client = await admin()
    await vi.waitFor(async () =>
      expect(await client.get(validatingAdmissionPolicyBindings, { name: 'player-limit' })).toBeDefined(),
    )
    expect(dev.said).not.toContain('--watch takes')
  } finally {
    expect(await dev.end()).toBe(0)
  }
})

async function admin(credentials: 'own' | 'none' = 'own'): Promise<Client> {
  const { clusters, users } = JSON.parse(await readFile(join(folder, '.wherry/kubeconfig'), 'utf8'))
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  return new Client({
    url: server,
    ca: Buffer.from(authority, 'base64').toString(),
    ...(credentials === 'own' && users[0].user),
  })
}

it('an operator runs until Ctrl+C, starts again when a file changes, and nothing is left', async () => {
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), definition('games'))
  await main(program('one'))
  const dev = new Dev()
  await dev.says('one runs')
  expect(dev.said).toContain(`export KUBECONFIG=${join(folder, '.wherry/kubeconfig')}`)
  {
    await using client = await admin()
    await client.create(resource('games'), { metadata: { name: 'a', namespace: 'default' } })
    await client.create(configMaps, { metadata: { name: 'a', namespace: 'default' } })
    await using stranger = await admin('none')
    await expect(stranger.list(configMaps)).rejects.toMatchObject({ status: 401 })
    await main(program('two'))
    await dev.says('two runs')
    expect(dev.said).toContain('one stops')
    // The server stayed, with what is in it.
    expect(await client.get(resource('games'), { name: 'a', namespace: 'default' })).toBeDefined()
    await writeFile(join(folder, 'deploy/crd/plays.json'), definition('plays'))
    await dev.says('the definitions in deploy/crd are applied')
    await client.create(resource('plays'), { metadata: { name: 'b', namespace: 'default' } })
    await writeFile(join(folder, 'deploy/crd/plays.json'), definition('Plays'))
    await dev.says('spec.names.plural: it takes a name')
  }
  expect(await dev.end()).toBe(0)
  expect(dev.said).toContain('two stops')
  expect(existsSync(join(folder, '.wherry/kubeconfig'))).toBe(false)
})

it('Ctrl+C while definitions are applied ends it, and what went on ends with it', async () => {
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await main(program('one'))
  const dev = new Dev()
  await dev.says('one runs')
  const plurals = Array.from({ length: 200 }, (_, i) => `games${i}`)
  await writeFile(join(folder, 'deploy/crd/games.yaml'), plurals.map(one => definition(one)).join('\n---\n'))
  {
    await using client = await admin()
    await vi.waitFor(() => client.list(resource('games0')))
  }
  expect(await dev.end()).toBe(0)
  expect(dev.said).not.toContain('ECONN')
})

it('Ctrl+C while an operator stops, since its file has changed, waits for its end', async () => {
  await main(`
import { existsSync } from 'node:fs'
process.on('SIGTERM', () => setInterval(() => existsSync('stop') && process.exit(), 10))
console.log('pid', process.pid, 'runs')
setInterval(() => {}, 1000)
`)
  const dev = new Dev()
  await dev.says(' runs')
  const pid = Number(/pid (\d+)/.exec(dev.said)?.[1])
  await main(program('two'))
  await dev.says('a file has changed')
  const ended = dev.end()
  // All is there until the operator has stopped.
  for (let i = 0; i < 3; i++) expect((await fetch(dev.page)).status).toBe(200)
  await writeFile(join(folder, 'stop'), '')
  expect(await ended).toBe(0)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(dev.said).not.toContain('two runs')
})

it('the page shows what the operator watches, why each key ran, and explains a key', async () => {
  await main(program('chess'))
  const dev = new Dev()
  await dev.says('chess runs')
  const shown = await dev.shows(({ keys, operator }) => operator !== undefined && keys[0]?.runs === 2)
  expect(shown).toMatchObject({
    ...{ program: 'runs', operator: { name: 'chess', controllers: [{ name: 'game', views: ['games'] }] } },
    keys: [{ key: 'default/a', why: 'for updated default/a: spec.title by kubectl', error: 'too big', runs: 2 }],
  })
  const explained = await fetch(dev.at('/explain', { controller: 'game', key: 'default/a' }))
  expect(await explained.text()).toBe(`game of default/a in ${join(folder, '.wherry/kubeconfig')}`)
  expect(await (await fetch(dev.page)).text()).toContain('<title>wherry dev</title>')
  expect((await fetch(dev.at('//'))).status).toBe(404)
  // Another process of this machine sees nothing.
  for (const path of ['/', '/events', '/explain'])
    expect((await fetch(`${new URL(dev.page).origin}${path}?token=0`)).status).toBe(403)
  await main('throw new Error("a fault of the user")')
  await dev.says('a fault of the user')
  await dev.says('src/main.mjs ended with 1: it starts again when a file changes')
  expect((await dev.shows(({ program }) => program === 'ended with 1')).keys).toEqual([])
  expect(await (await fetch(dev.at('/explain', { controller: 'game', key: 'a' }))).text()).toBe('no operator runs')
  expect(await dev.end()).toBe(0)
})

it('a pipe among the definitions is named', async () => {
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  execFileSync('mkfifo', [join(folder, 'deploy/crd/games.yaml')])
  await main(program('one'))
  const dev = new Dev()
  expect(await dev.status).toBe(1)
  expect(dev.said).toContain('deploy/crd/games.yaml is no file')
})

it('with --keep the objects are there the next time, as they were', async () => {
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), definition('games', { listKind: 'Games' }))
  await main(program('one'))
  const key = { name: 'a', namespace: 'arcade' }
  let uid: string | undefined
  {
    const dev = new Dev('--keep', 'kept/objects.json')
    await dev.says('one runs')
    {
      await using client = await admin()
      const namespaces = defineResource<KubernetesObject>({
        ...{ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
      })
      await client.create(namespaces, { metadata: { name: 'arcade' } })
      uid = (await client.create(resource('games'), { metadata: key })).metadata?.uid
    }
    expect(await dev.end()).toBe(0)
  }
  await rm(join(folder, 'deploy'), { recursive: true })
  const dev = new Dev('--keep', 'kept/objects.json')
  await dev.says('one runs')
  {
    await using client = await admin()
    expect((await client.get(resource('games'), key))?.metadata?.uid).toBe(uid)
  }
  expect(await dev.end()).toBe(0)
})

it('a port that is in use is named, and so is a program that is not there', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(listening => other.once('listening', listening))
  const { port } = other.address() as { port: number }
  const taken = new Dev('--port', `${port}`)
  expect(await taken.status).toBe(1)
  expect(taken.said).toContain(`port ${port} is in use: choose another with --port, or leave it out for a free one`)
  await new Promise(closed => other.close(closed))
  const missing = new Dev()
  expect(await missing.status).toBe(2)
  expect(missing.said).toContain('src/main.mjs is not there')
})

it('without --port a free port is taken if the usual one is in use, and that is said', async () => {
  // If another process has it already, it is in use all the same.
  const other = createServer().on('error', () => undefined)
  other.listen(6443, '127.0.0.1')
  await Promise.race([once(other, 'listening'), once(other, 'close'), once(other, 'error')])
  await main(program('one'))
  const dev = new Dev('--page', '0')
  await dev.says('one runs')
  expect(dev.said).toContain('port 6443 is in use: the API server takes a free one; --port names another')
  expect(await dev.end()).toBe(0)
  await new Promise(closed => other.close(closed))
})

it('with --cluster it asks, and does nothing without a yes', async () => {
  const { startApiServer } = await import('@wherry/testing')
  await using server = await startApiServer()
  const kubeconfig = join(folder, 'kubeconfig')
  await server.writeKubeconfig(kubeconfig)
  vi.stubEnv('KUBECONFIG', kubeconfig)
  try {
    await mkdir(join(folder, 'deploy/crd'), { recursive: true })
    await writeFile(join(folder, 'deploy/crd/games.json'), definition('games'))
    await main(program('one'))
    const refused = new Dev('--cluster')
    expect(await refused.status).toBe(1)
    expect(refused.said).toContain(`nothing was done in wherry (${server.url})`)
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await expect(client.list(resource('games'))).rejects.toMatchObject({ status: 404 })
    const dev = new Dev('--cluster', '--yes')
    await dev.says('one runs')
    expect(await dev.end()).toBe(0)
    await vi.waitFor(async () => expect((await client.list(resource('games'))).items).toEqual([]))
  } finally {
    vi.unstubAllEnvs()
  }
})

it('messages that the program sends of its own do no harm, and questions that it does not answer do not pile up', async () => {
  await main(`
for (const message of ['ready', {}, null, [], { type: 'run' }]) process.send(message)
console.log('silent runs')
setInterval(() => {}, 1000)
`)
  const dev = new Dev()
  await dev.says('silent runs')
  const ask = async (_: unknown, at: number): Promise<string> =>
    (await fetch(dev.at('/explain', { controller: 'game', key: `${at}` }))).text()
  const questions = Array.from({ length: 101 }, ask)
  expect(await Promise.race(questions)).toBe('the operator does not answer')
  expect(await dev.end()).toBe(0)
  await Promise.allSettled(questions)
})
