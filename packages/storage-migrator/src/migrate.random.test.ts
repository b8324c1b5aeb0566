import { isInvalid } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { chance, choose, type FaultRule, forEachSeed, integer, type Random } from '@wherry/testing'
import { expect, it } from 'vitest'
import { migrateStorage } from './migrate.ts'
import type { MigrationReport } from './report.ts'
import { configMapState } from './state/config-map-state.ts'
import { memoryState } from './state/memory-state.ts'
import type { StateStore } from './state/migration-state.ts'
import { type Cluster, definition, gameDefinition, gamesV1, gamesV2, simulatedCluster } from './testkit/cluster.ts'

it('S4, S5, X10: whatever happens on the way, storedVersions has each version that an object is stored at', async () => {
  // a changed copy (npm run mutants) has seconds for all tests
  const seeds = 120
  let shortened = 0
  const run = await forEachSeed(
    async seed => {
      shortened += await new Model(seed).run()
    },
    { seeds },
  )
  // Otherwise the runs would prove nothing: no storedVersions would have been shortened amid the trouble.
  if (run >= 100) expect(shortened).toBeGreaterThan(run / 2)
}, 1_800_000)

const crd = 'customresourcedefinitions.apiextensions.k8s.io'
const deny = 'admission webhook "deny.example.com" denied the request: no'
const name = { name: definition }

/** Of whichever requests the migrator, or the test, makes next. */
const matches: readonly FaultRule['match'][] = [
  { verb: 'list', resource: definition },
  { verb: 'patch', resource: definition },
  { verb: 'get', resource: definition },
  { verb: 'patch', resource: crd, subresource: 'status' },
  { verb: 'get', resource: crd },
  { resource: 'configmaps' },
]

const effects: readonly FaultRule['effect'][] = [
  { kind: 'drop' },
  { kind: 'drop', after: true },
  { kind: 'delay', ms: 3000 },
  { kind: 'expired' },
  { kind: 'status', code: 429, retryAfterSeconds: 2 },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503, retryAfterSeconds: 1 },
  { kind: 'status', code: 504, reason: 'Timeout' },
  { kind: 'status', code: 400, message: deny },
  { kind: 'status', code: 404, reason: 'NotFound', message: deny },
  { kind: 'status', code: 409, reason: 'Conflict', message: deny },
  { kind: 'status', code: 403, reason: 'Forbidden', message: 'games is forbidden: User "u" cannot list resource "x"' },
]

/** One random run: migrators that are killed, programs that write, a definition that changes, and the stored objects as the oracle. */
class Model {
  readonly #seed: number
  #cluster!: Cluster
  #random!: Random
  #state!: StateStore
  readonly #kills = new Set<AbortController>()
  readonly #running: Promise<void>[] = []
  #shortened = 0
  #lastError: unknown

  constructor(seed: number) {
    this.#seed = seed
  }

  /** How often a migrator shortened `storedVersions` before the trouble ended. */
  async run(): Promise<number> {
    this.#cluster = await simulatedCluster(this.#seed)
    const { simulation, client } = this.#cluster
    this.#random = simulation.random.fork('test')
    this.#state = this.#seed % 3 === 0 ? memoryState() : configMapState({ client, namespace: 'default' })
    try {
      await this.#cluster.define({ storage: 'v1' })
      await simulation.run(async () => {
        await this.#cluster.create(integer(this.#random, 0, 25))
        await this.#cluster.change({ storage: 'v2' })
      })
      for (let step = 0; step < 40; step++) {
        await simulation.run(() => this.#step())
        await simulation.advance(integer(this.#random, 0, 2000))
        await simulation.run(() => this.#check())
      }
      await this.#end()
      return this.#shortened
    } finally {
      this.#kill()
      await this.#cluster.close()
    }
  }

  #begin(): void {
    const kill = new AbortController()
    this.#kills.add(kill)
    const options = this.#options(kill.signal)
    const run = async (): Promise<void> => {
      try {
        const { outcome } = await migrateStorage(options)
        if (outcome === 'migrated') this.#shortened += 1
      } catch (error) {
        this.#lastError = error
      }
    }
    this.#running.push(run())
  }

  #kill(): void {
    for (const kill of this.#kills) kill.abort(new Error('killed'))
    this.#kills.clear()
  }

  #options(signal?: AbortSignal): Parameters<typeof migrateStorage>[0] {
    const random = this.#random
    return {
      client: this.#cluster.client,
      ...{ definition, signal, state: this.#state, maxFailures: 1000 },
      chunkSize: choose(random, [1, 3, 10]),
      concurrency: choose(random, [1, 4, 10]),
      settleMs: choose(random, [0, 500]),
      // Slow, so that much happens on the way.
      qps: choose(random, [2, 10, 50]),
    }
  }

  async #step(): Promise<void> {
    const { server, writer } = this.#cluster
    const random = this.#random
    const games = choose(random, [gamesV1, gamesV2])
    const key = { namespace: 'default', name: `g${String(integer(random, 0, 29)).padStart(3, '0')}` }
    await this.#try(async () => {
      switch (integer(random, 0, 13)) {
        case 0:
          this.#kill()
          return this.#begin()
        case 1:
          // Not killed: several may be under way.
          return this.#begin()
        case 2: {
          const match = { verb: 'patch', resource: definition, name: key.name }
          return server.faults.add({
            match,
            times: 100,
            effect: { kind: 'status', code: choose(random, [400, 404, 409]), message: deny },
          })
        }
        case 13:
          return chance(random, 0.3) && server.faults.clear()
        case 3:
          return writer.create(games, { metadata: key })
        case 4:
        case 5:
          return writer.patch(games, key, { spec: { players: integer(random, 0, 100) } })
        case 6:
          return writer.delete(games, key)
        case 7:
          return chance(random, 0.3) && this.#cluster.change({ storage: choose(random, ['v1', 'v2']) })
        case 8:
          if (!chance(random, 0.3)) return undefined
          await this.#cluster.change({ storage: 'v1' })
          await writer.patch(games, key, { spec: { players: integer(random, 0, 100) } })
          return this.#cluster.change({ storage: 'v2' })
        case 9:
          return server.compact()
        case 10:
          if (!chance(random, 0.1)) return undefined
          await writer.delete(customResourceDefinitions, name)
          await new Promise<void>(resolve => void this.#cluster.simulation.clock.timer(1000, resolve))
          return writer.create(customResourceDefinitions, gameDefinition({ storage: choose(random, ['v1', 'v2']) }))
        default:
          return server.faults.add({
            match: choose(random, matches),
            times: integer(random, 1, 8),
            effect: choose(random, effects),
          })
      }
    })
  }

  /** Faults hit the test's own writes too; what counts is what the server has. */
  async #try(change: () => unknown): Promise<void> {
    try {
      await change()
    } catch {
      // Refused, or lost.
    }
  }

  /** Compares stored objects with a definition that was the same before and after they were looked at. */
  async #check(): Promise<void> {
    const { server, writer } = this.#cluster
    try {
      const before = await writer.get(customResourceDefinitions, name)
      const stored = Object.entries(server.storedVersions(definition))
      const after = await writer.get(customResourceDefinitions, name)
      const { uid, deletionTimestamp, resourceVersion } = after?.metadata ?? {}
      if (uid === undefined || deletionTimestamp !== undefined) return
      if (before?.metadata?.resourceVersion !== resourceVersion) return
      const { storedVersions = [] } = after?.status ?? {}
      this.#lost = stored.filter(([, version]) => !storedVersions.includes(version)).map(String)
    } catch {
      // A fault met the look itself.
    }
    expect(this.#lost).toEqual([])
  }

  #lost: string[] = []

  /** The trouble ends: a migration comes to its end, whatever earlier ones left, and the old version can go. */
  async #end(): Promise<void> {
    const { simulation, server, writer } = this.#cluster
    this.#kill()
    await server.faults.clear()
    await simulation.run(() => Promise.all(this.#running))
    let report: MigrationReport | undefined
    await simulation.run(async () => {
      if ((await writer.get(customResourceDefinitions, name)) === undefined) {
        await writer.create(customResourceDefinitions, gameDefinition({ storage: 'v2' }))
      }
    })
    await simulation.advance(1000)
    await simulation.run(async () => {
      report = await migrateStorage(this.#options())
    })
    const storage = report?.storageVersion ?? ''
    expect(report, `the last error was ${this.#lastError}`).toMatchObject({
      outcome: expect.stringMatching(/^(migrated|nothing-to-do)$/),
      storedVersions: [storage],
      failures: [],
    })
    expect(this.#cluster.storedAt(storage === 'v1' ? 'v2' : 'v1')).toEqual([])
    const removed = simulation.run(() => this.#cluster.change({ storage, names: [storage] }))
    await expect(removed.catch(error => (isInvalid(error) ? error.message : error))).resolves.toMatchObject({
      status: { storedVersions: [storage] },
    })
  }
}
