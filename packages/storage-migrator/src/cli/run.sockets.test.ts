import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { definition, gameDefinition, gamesV1, type Versions } from '../testkit/cluster.ts'
import { established } from '../testkit/established.ts'
import { asked, end, succeed } from '../testkit/server-migrator.ts'
import { type ExitStatus, runCommand } from './run.ts'

let server: EmbeddedApiServer
let client: Client
let folder: string

beforeEach(async () => {
  server = await startApiServer()
  client = connected()
  folder = await mkdtemp(join(tmpdir(), 'wherry-migrator-'))
})

afterEach(async () => {
  await client.close()
  await server.close()
  await rm(folder, { recursive: true })
})

const connected = (token = server.token): Client => new Client({ url: server.url, ca: server.ca, token })

interface Ran {
  readonly status: ExitStatus
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line, split at spaces. */
async function run(line: string, signal: AbortSignal = new AbortController().signal, isTTY = false): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  const status = await runCommand(line.split(' ').filter(Boolean), {
    stdout: {
      write(text) {
        stdout += text
      },
    },
    stderr: {
      isTTY,
      write(text) {
        stderr += text
      },
    },
    connect: async () => connected(),
    signal,
  })
  return { status, stdout, stderr }
}

async function define(count: number): Promise<void> {
  await client.create(customResourceDefinitions, gameDefinition({ storage: 'v1' }))
  await established(client, definition)
  for (let i = 0; i < count; i++) {
    await client.create(gamesV1, { metadata: { namespace: 'default', name: `g${i}` } })
  }
  await change({ storage: 'v2' })
}

async function change(versions: Versions): Promise<void> {
  const { spec } = gameDefinition(versions)
  await client.patch(customResourceDefinitions, { name: definition }, { spec })
}

const storedVersions = async () =>
  (await client.get(customResourceDefinitions, { name: definition }))?.status?.storedVersions

it('leads from two stored versions to one: planned, migrated, proved, the old one removed', async () => {
  await define(12)
  const planned = await run(`${definition} --dry-run`)
  expect(planned).toMatchObject({ status: 0, stderr: '' })
  expect(planned.stdout).toContain('12 objects would be written at v2, in 17 requests; stored versions: v1, v2')
  expect(await storedVersions()).toEqual(['v1', 'v2'])
  const done = await run(`${definition} --settle 0`)
  expect(done.status).toBe(0)
  expect(done.stdout).toBe(
    `${definition}: done: 12 objects rewritten at v2, 0 were there already, 0 changed and 0 deleted meanwhile; v1 can be removed\n`,
  )
  expect(done.stderr).toMatch(/^games\.arcade\.example\.com to v2: 12 of 12, \d+\/s\n$/)
  expect(await storedVersions()).toEqual(['v2'])
  const again = await run(`${definition} --settle 0`)
  expect(again).toMatchObject({
    status: 0,
    stdout: `${definition}: nothing to do: only v2 is stored; v1 can be removed\n`,
  })
  const proved = await run(`${definition} --verify`)
  expect(proved).toMatchObject({ status: 0, stdout: `${definition}: proved: all 12 objects are stored at v2\n` })
  await change({ storage: 'v2', names: ['v2'] })
})

it('lets the server migrate by itself: 0 if it did, and 1 with its words if it failed', async () => {
  await define(2)
  expect((await run(`${definition} --dry-run`)).stdout).toContain('this server can migrate by itself too (--server)')
  const failing = run(`${definition} --server`)
  await end(client, await asked(client), 'Failed', 'g1 can not be written')
  expect(await failing).toMatchObject({ status: 1, stdout: expect.stringContaining('failed: g1 can not be written; ') })
  const running = run(`${definition} --server`)
  await succeed(client, await asked(client))
  const stdout = `${definition}: done by the server: only v2 is stored; v1 can be removed\n`
  expect(await running).toMatchObject({ status: 0, stdout })
  expect((await run(`${definition} --server`)).stdout).toContain('nothing to do: only v2 is stored')
})

it('names each object that failed, its reason and the way out, and ends with 1', async () => {
  await define(3)
  const message = 'admission webhook "deny.example.com" denied the request: \u001b[31mno'
  const effect = { kind: 'status', code: 400, message } as const
  const fault = await server.faults.add({ match: { verb: 'patch', name: 'g1' }, effect })
  const { status, stdout } = await run(`${definition} --settle 0`)
  expect(status).toBe(1)
  expect(stdout).toContain('1 objects could not be rewritten; stored versions stay v1, v2\n')
  expect(stdout).toMatch(/ {2}default\/g1: webhook: .*denied the request: {2}\[31mno: mend the webhook, or the object/)
  expect(await storedVersions()).toEqual(['v1', 'v2'])
  await fault.remove()
  expect(await run(`${definition} --settle 0`)).toMatchObject({ status: 0 })
  expect(await storedVersions()).toEqual(['v2'])
})

it('keeps its state in a file if an option says so, and in a ConfigMap otherwise', async () => {
  await define(3)
  const fault = await server.faults.add({ match: { verb: 'patch', name: 'g1' }, effect: { kind: 'status', code: 400 } })
  const path = join(folder, 'state.json')
  expect(await run(`${definition} --settle 0 --state ${path}`)).toMatchObject({ status: 1 })
  expect(JSON.parse(await readFile(path, 'utf8'))[definition]).toMatchObject({
    listed: true,
    failures: [{ name: 'g1' }],
  })
  expect(
    (await client.list(configMaps.within({ fields: { 'metadata.name': 'wherry-storage-migrator' } }))).items,
  ).toEqual([])
  expect(await run(`${definition} --settle 0 --namespace kube-system`)).toMatchObject({ status: 1 })
  const kept = await client.get(configMaps, { namespace: 'kube-system', name: 'wherry-storage-migrator' })
  expect(Object.keys(kept?.data ?? {})).toEqual([definition])
  await fault.remove()
})

it('--all migrates what has old versions, and goes on behind a definition that cannot be migrated', async () => {
  await define(2)
  const none = gameDefinition({ storage: 'v1' })
  const names = { kind: 'Toy', plural: 'toys' }
  await client.create(customResourceDefinitions, {
    metadata: { name: 'toys.arcade.example.com' },
    spec: { ...none.spec, names },
  })
  const dry = await run('--all --dry-run --json')
  expect(
    dry.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).definition),
  ).toEqual([definition])
  const some = await run(`nothing.example.com ${definition} --settle 0`)
  expect(some.status).toBe(2)
  expect(some.stderr).toContain('nothing.example.com: there is no such definition')
  expect(await storedVersions()).toEqual(['v2'])
  const rest = await run('--all --settle 0')
  expect(rest).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('nothing to do') })
})

it('--json prints a report on a line', async () => {
  await define(2)
  const { status, stdout } = await run(`${definition} --settle 0 --json`)
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'migrated', counts: { rewritten: 2 }, storedVersions: ['v2'] })
})

it('S6: --gate says what a manifest breaks, and ends with 1 where the server refuses it', async () => {
  await define(1)
  const path = join(folder, 'crd.yaml')
  const crd = (versions: Versions) => ({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    ...gameDefinition(versions),
  })
  await writeFile(
    path,
    `# a comment\n---\napiVersion: v1\nkind: Namespace\n---\n${JSON.stringify(crd({ storage: 'v2', names: ['v2'] }))}\n`,
  )
  const shut = await run(`--gate ${path}`)
  expect(shut.status).toBe(1)
  expect(shut.stdout).toContain(`${definition}: refused: v1 is removed, but objects may be stored at it`)
  expect(await run(`${definition} --settle 0`)).toMatchObject({ status: 0 })
  const open = await run(`--gate ${path}`)
  expect(open.status).toBe(0)
  expect(open.stdout).toContain('warning: v1 is served no more')
  await writeFile(path, JSON.stringify({ kind: 'List', items: [crd({ storage: 'v2' })] }))
  expect(await run(`--gate ${path}`)).toMatchObject({ status: 0, stdout: `${definition}: nothing breaks\n` })
})

it.each([
  ['', 'name a definition, or give --all'],
  ['--all games.example.com', '--all takes no names'],
  ['games.example.com --dry-run --verify', 'exclude each other'],
  ['games.example.com --server --verify', 'exclude each other'],
  ['games.example.com --server --qps 5', '--qps has no effect with --server'],
  ['games.example.com --dry-run --concurrency 2', '--concurrency has no effect with --dry-run'],
  ['games.example.com --verify --settle 1', '--settle has no effect with --verify'],
  ['games.example.com --verify --state state.json', '--state has no effect with --verify'],
  ['--gate definition.yaml --namespace ops', '--namespace has no effect with --gate'],
  ['games.example.com --gate x.yaml', 'name no others'],
  ['--gate /nonexistent/x.yaml', 'cannot be read'],
  ['games.example.com --qps fast', '--qps takes a number'],
  ['games.example.com --qps 0', 'migrateStorage.qps takes writes a second'],
  ['games.example.com --bogus', "Unknown option '--bogus'"],
  ['games.example.com --state a --namespace b', 'which --state replaces'],
  ['../x', 'name'],
])('X6: the command line "%s" is wrong usage', async (line, words) => {
  const { status, stdout, stderr } = await run(line)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(words)
})

it('no access ends with 2 and names the right that is missing', async () => {
  await define(1)
  const message = 'games is forbidden: User "u" cannot list resource "games" in API group "x" at the cluster scope'
  const effect = { kind: 'status', code: 403, reason: 'Forbidden', message } as const
  await server.faults.add({ match: { verb: 'list', resource: definition }, effect })
  const { status, stderr } = await run(`${definition} --settle 0`)
  expect(status).toBe(2)
  expect(stderr).toContain(`the server does not allow to list ${definition}`)
})

it('a signal stops it', async () => {
  await define(1)
  const stop = new AbortController()
  stop.abort(new Error('stopped by SIGINT'))
  const { status, stderr } = await run(`${definition}`, stop.signal)
  expect([status, stderr]).toEqual([2, 'storage-migrator: stopped; run it again to go on\n'])
})

it('shows a bar on a terminal', async () => {
  await define(2)
  const { stderr } = await run(`${definition} --settle 0`, undefined, true)
  const text = stderr.replaceAll('\r\u001b[K', '<again>')
  expect(text).toMatch(/^<again>\[={20}\] games\.arcade\.example\.com to v2: 2 of 2, \d+\/s\n$/)
})

it('prints its usage', async () => {
  expect(await run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: storage-migrator') })
})
