import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { Client } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { defineGames, game, games } from '@wherry/controller/operator/testkit/games'
import { labelsOf } from '@wherry/controller/shards/ring-names'
import { defineRing } from '@wherry/controller/shards/testkit/sharder'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildGoProgram } from '../go-program.ts'
import { freePort } from './free-port.ts'

const available = await realApiServerAvailable('shards of the real sharder')
const { shard, drain } = labelsOf('games')
const names = Array.from({ length: 30 }, (_, n) => `g${n}`)
const patient = { timeout: 60_000, interval: 50 }

interface Member {
  readonly name: string
  readonly running: Promise<unknown>
  readonly stop: () => void
}

describe.runIf(available)('shards, with the sharder of kubernetes-controller-sharding on a real API server', () => {
  let program: string
  let server: RealApiServer
  let client: Client
  let folder: string
  let sharder: ChildProcess
  let complaints: string
  let members: Member[]
  /** The shard that runs a key now. */
  let runs: Map<string, string>
  let wrong: string[]
  let errors: string[]

  beforeAll(async () => {
    program = await buildGoProgram(join(import.meta.dirname, 'go'), 'sharder')
  }, 600_000)

  beforeEach(async () => {
    server = await sharedRealServer()
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
    folder = await mkdtemp(join(tmpdir(), 'wherry-sharder-'))
    members = []
    runs = new Map()
    wrong = []
    errors = []
    complaints = ''
    await defineGames(client)
    await defineRing(client, 'games', [
      { group: 'arcade.example.com', resource: 'games', controlledResources: [{ resource: 'configmaps' }] },
    ])
    const authority = createCertificateAuthority()
    const { certPem, keyPem } = authority.issueServer()
    const files = { 'ca.crt': authority.caPem, 'tls.crt': certPem, 'tls.key': keyPem }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(server.kubeconfig))
    sharder = spawn(program, [kubeconfig, `${await freePort()}`, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
    sharder.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
  })

  afterEach(async () => {
    for (const { stop } of members) stop()
    await Promise.all(members.map(({ running }) => running))
    if (sharder.exitCode === null) {
      sharder.kill('SIGKILL')
      await once(sharder, 'close')
    }
    await client.close()
    await rm(folder, { recursive: true })
  })

  function start(name: string, { releaseOnStop = true } = {}): Member {
    const onError = (error: Error): void => void errors.push(`${name}: ${error.message}`)
    const own = new Client({ url: server.url, ca: server.ca, token: server.token, environment: { onError } })
    const times = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 300 }
    const shards = { ring: 'games', name, namespace: 'default', releaseOnStop, ...times }
    const operator = new Operator({ name: 'arcade', client: own, shards })
    operator
      .controller('game', { concurrency: 5 })
      .for(games)
      .owns(configMaps)
      .reconcile(async ({ key, object, apply }) => {
        const other = runs.get(key.name)
        if (other !== undefined) wrong.push(`${name} runs ${key.name} while ${other} does`)
        runs.set(key.name, name)
        try {
          await apply(configMaps, { metadata: { name: `${key.name}-config` }, data: { title: `${object.spec.title}` } })
          await new Promise(resolve => setTimeout(resolve, 20))
        } finally {
          runs.delete(key.name)
        }
        return { requeueAfterMs: 200 }
      })
      .onGone(({ key }) => void wrong.push(`${key.name} is gone for ${name}`))
      .onLeft(({ key }) => void wrong.push(`${key.name} left ${name}`))
    const stop = new AbortController()
    const running = operator
      .run({ signal: stop.signal, signals: false })
      .catch(error => wrong.push(`${error}`))
      .finally(() => own.close())
    const member = { name, running, stop: () => stop.abort(new Error('asked to stop')) }
    members.push(member)
    return member
  }

  /** Waits until these shards have all games, each some, and their ConfigMaps. */
  async function shared(...by: readonly string[]): Promise<void> {
    await vi
      .waitFor(async () => {
        const { items } = await client.list(games)
        const shards = items.map(({ metadata }) => metadata.labels?.[shard])
        expect([...new Set(shards)].sort()).toEqual(by)
        expect(items.filter(({ metadata }) => metadata.labels?.[drain] !== undefined)).toEqual([])
        const owners = new Map(items.map(({ metadata }) => [`${metadata.name}-config`, metadata.labels?.[shard]]))
        const configs = await client.list(configMaps.within({ namespaces: ['default'], labels: shard }))
        expect(new Map(configs.items.map(({ metadata }) => [metadata.name, metadata.labels?.[shard]]))).toEqual(owners)
      }, patient)
      .catch(error => {
        throw new Error(`the sharder says: ${complaints.slice(-2000)}`, { cause: error })
      })
    expect(wrong).toEqual([])
  }

  it('C7: come, go and die, and each object is run by the shard that has it, and by no other', async () => {
    for (const name of names) await client.create(games, game(name))
    start('a')
    await shared('a')
    const dying = start('b', { releaseOnStop: false })
    await shared('a', 'b')
    const leaving = start('c')
    await shared('a', 'b', 'c')
    leaving.stop()
    await leaving.running
    await shared('a', 'b')
    // Without a release the sharder waits for twice the duration of the lease, and takes it.
    dying.stop()
    await dying.running
    await shared('a')
    expect((await client.get(leases, { namespace: 'default', name: 'b' }))?.spec?.holderIdentity).toBe(
      'shardlease-controller',
    )
    await client.patch(games, { namespace: 'default', name: 'g7' }, { spec: { title: 'Go' } })
    await vi.waitFor(async () => {
      const config = await client.get(configMaps, { namespace: 'default', name: 'g7-config' })
      expect(config?.data?.title).toBe('Go')
    }, patient)
    expect(wrong).toEqual([])
    expect(errors).toEqual([])
  }, 300_000)
})
