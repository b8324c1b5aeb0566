import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { Client } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { defineGames, game, games } from '@wherry/controller/operator/testkit/games'
import { labelsOf, ringLabel } from '@wherry/controller/shards/ring-names'
import { defineRing, Sharder } from '@wherry/controller/shards/testkit/sharder'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildGoProgram } from '../go-program.ts'
import { freePort } from './free-port.ts'

const available = await realApiServerAvailable('the model of the sharder')
const patient = { timeout: 60_000, interval: 50 }
const names = Array.from({ length: 20 }, (_, n) => `g${n}`)
/** Longer than a busy machine stands still: no renewal is late, and no state is missed. */
const leaseSeconds = 4
const stateLabel = 'alpha.sharding.timebertt.dev/state'

/** The members of a ring, as leases without programs behind them, and what the sharder does with these and with the games. */
class Ring {
  /** What happened to each lease: its state, its holder, and its duration. */
  readonly leases = new Map<string, string[]>()
  /** What happened to games: from which shard to which. */
  readonly moves = new Set<string>()
  readonly #ring: string
  readonly #client: Client
  readonly #stop = new AbortController()
  readonly #alive = new Set<string>()
  readonly #at = new Map<string, string>()
  readonly #loops: Promise<void>[]

  constructor(ring: string, client: Client) {
    this.#ring = ring
    this.#client = client
    this.#loops = [this.#watchLeases(), this.#watchGames(), this.#renew()]
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled(this.#loops)
  }

  async join(member: string): Promise<void> {
    this.#alive.add(member)
    await this.#client.create(leases, {
      metadata: { ...this.#key(member), labels: { [ringLabel]: this.#ring } },
      spec: { ...this.#held(member), acquireTime: time() },
    })
  }

  /** The member renews its lease no more. */
  die(member: string): void {
    this.#alive.delete(member)
  }

  async takeAgain(member: string): Promise<void> {
    await this.#change(member, this.#held(member))
    this.#alive.add(member)
  }

  async leave(member: string): Promise<void> {
    this.#alive.delete(member)
    await this.#change(member, { holderIdentity: null, renewTime: time() })
  }

  /** The members that have games, sorted. */
  get owners(): string[] {
    return [...new Set(this.#at.values())].sort()
  }

  get assigned(): number {
    return this.#at.size
  }

  #key(member: string) {
    return { namespace: 'default', name: `${this.#ring}-${member}` }
  }

  #held(member: string) {
    return { holderIdentity: this.#key(member).name, leaseDurationSeconds: leaseSeconds, renewTime: time() }
  }

  async #change(member: string, spec: object): Promise<void> {
    await this.#client.patch(leases, this.#key(member), { spec } as never)
  }

  async #renew(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      for (const member of this.#alive) await this.#change(member, { renewTime: time() }).catch(() => {})
      await new Promise(resolve => setTimeout(resolve, 300))
    }
  }

  async #watchLeases(): Promise<void> {
    const view = leases.within({ labels: `${ringLabel}=${this.#ring}` })
    for await (const event of this.#client.watch(view, { signal: this.#stop.signal })) {
      if (event.type === 'BOOKMARK') continue
      const { metadata, spec } = event.object
      const member = metadata.name.slice(this.#ring.length + 1)
      const holder = spec?.holderIdentity === metadata.name ? 'itself' : (spec?.holderIdentity ?? 'nobody')
      const now = `${metadata.labels?.[stateLabel] ?? 'new'}, held by ${holder} for ${spec?.leaseDurationSeconds} s`
      const seen = this.leases.get(member) ?? []
      this.leases.set(member, seen)
      if (seen.at(-1) !== now) seen.push(now)
    }
  }

  /** Notes where games go, and releases those that are to be released. A game without a shard is on its way. */
  async #watchGames(): Promise<void> {
    const { shard, drain } = labelsOf(this.#ring)
    for await (const event of this.#client.watch(games, { signal: this.#stop.signal })) {
      if (event.type === 'BOOKMARK') continue
      const { name, labels = {} } = event.object.metadata
      if (labels[shard] === undefined) continue
      const isDrained = labels[drain] !== undefined
      const now = `${labels[shard].slice(this.#ring.length + 1)}${isDrained ? ', to be released' : ''}`
      const before = this.#at.get(name)
      this.#at.set(name, now)
      if (before !== now) this.moves.add(`${before ?? 'new'} -> ${now}`)
      if (!isDrained || before === now) continue
      const release = { metadata: { labels: { [shard]: null, [drain]: null } } }
      await this.#client.patch(games, { namespace: 'default', name }, release as never)
    }
  }
}

const time = (): string => `${new Date().toISOString().slice(0, -1)}000Z`

describe.runIf(available)('the model of the sharder', () => {
  let program: string
  let folder: string
  let client: Client
  let sharder: ChildProcess
  let model: Sharder
  let rings: readonly Ring[]

  beforeAll(async () => {
    program = await buildGoProgram(join(import.meta.dirname, 'go'), 'sharder')
  }, 600_000)

  afterEach(async () => {
    await Promise.all(rings.map(ring => ring.close()))
    await model.close()
    if (sharder.exitCode === null) {
      sharder.kill('SIGKILL')
      await once(sharder, 'close')
    }
    await client.close()
    await rm(folder, { recursive: true })
  })

  it('does with leases and objects what the sharder of kubernetes-controller-sharding does', async () => {
    const server = await sharedRealServer()
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
    folder = await mkdtemp(join(tmpdir(), 'wherry-model-'))
    await defineGames(client)
    await defineRing(client, 'real', [{ group: 'arcade.example.com', resource: 'games' }])
    const { caPem, issueServer } = createCertificateAuthority()
    const { certPem, keyPem } = issueServer()
    const files = {
      'ca.crt': caPem,
      'tls.crt': certPem,
      'tls.key': keyPem,
      kubeconfig: JSON.stringify(server.kubeconfig),
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    sharder = spawn(program, [join(folder, 'kubeconfig'), `${await freePort()}`, folder], { stdio: 'ignore' })
    model = new Sharder(client, 'model', [{ view: games }])
    model.start(200)
    const [real, modelled] = [new Ring('real', client), new Ring('model', client)]
    rings = [real, modelled]
    /** Does the same in both rings, and waits until these members have all games in both. */
    const step = async (act: (ring: Ring) => unknown, owners: readonly string[]): Promise<void> => {
      for (const ring of rings) await act(ring)
      await vi.waitFor(() => {
        for (const ring of rings) expect([ring.owners, ring.assigned]).toEqual([owners, names.length])
      }, patient)
    }
    for (const name of names) await client.create(games, game(name))
    await step(ring => ring.join('a'), ['a'])
    await step(ring => ring.join('b'), ['a', 'b'])
    await step(ring => ring.die('b'), ['a'])
    await step(ring => ring.takeAgain('b'), ['a', 'b'])
    await step(ring => ring.leave('a'), ['b'])
    await step(ring => ring.join('c'), ['b', 'c'])
    // The real one may move a game of a step in the next: so all steps are compared together.
    expect([...modelled.moves].sort()).toEqual([...real.moves].sort())
    expect(Object.fromEntries(modelled.leases)).toEqual(Object.fromEntries(real.leases))
    expect(real.leases.get('b')?.length).toBeGreaterThan(4)
  }, 120_000)
})
