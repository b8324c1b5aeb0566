import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { alikeSignal } from '@wherry/client/testkit/alike-signal'
import { describe, expect, it } from 'vitest'
import { migrateStorage } from './migrate.ts'
import type { MigrationProgress } from './progress.ts'
import { memoryState } from './state/memory-state.ts'
import type { MigrationState, StateStore } from './state/migration-state.ts'
import {
  type Cluster,
  definition,
  gameDefinition,
  gamesV1,
  gamesV2,
  simulatedCluster,
  withGames,
} from './testkit/cluster.ts'

const key = (name: string) => ({ namespace: 'default', name })

/** A merge patch of anything: what somebody else's write is. */
const touched = { metadata: { labels: { touched: 'yes' } } }

/** A state store that calls `saved` after each page, before the next is listed. */
function observed(saved: (state: MigrationState) => Promise<void> | void): StateStore {
  const store = memoryState()
  return {
    ...store,
    async save(name, state) {
      await store.save(name, state)
      await saved(state)
    },
  }
}

/** The requests of the migrator by verb and resource. */
async function requests({ server }: Cluster, verb: string, resource = definition): Promise<number> {
  const { byVerb } = await server.stats()
  return byVerb[verb]?.[resource]?.requests ?? 0
}

describe('a migration', () => {
  it('rewrites each object once and leaves the storage version alone in storedVersions', () =>
    withGames(25, async cluster => {
      const { client, server } = cluster
      expect(cluster.storedAt('v1')).toHaveLength(25)
      const before = (await cluster.writer.list(gamesV2)).items
      await server.resetStats()
      const report = await migrateStorage({ client, definition, chunkSize: 10 })
      expect(report).toEqual({
        definition,
        outcome: 'migrated',
        storageVersion: 'v2',
        storedVersionsBefore: ['v1', 'v2'],
        storedVersions: ['v2'],
        removableVersions: ['v1'],
        counts: { listed: 25, rewritten: 25, unchanged: 0, changed: 0, gone: 0 },
        failures: [],
        complete: true,
      })
      expect(cluster.storedAt('v1')).toEqual([])
      expect(await cluster.storedVersions()).toEqual(['v2'])
      expect([await requests(cluster, 'list'), await requests(cluster, 'patch')]).toEqual([3, 25])
      const after = (await cluster.writer.list(gamesV2)).items
      const withoutVersion = (list: typeof before) =>
        list.map(({ metadata: { resourceVersion: _, ...metadata } = {}, ...rest }) => ({ ...rest, metadata }))
      expect(withoutVersion(after)).toEqual(withoutVersion(before))
      await cluster.change({ storage: 'v2', names: ['v2'] })
    }))

  it('S1: a definition that is not there, is being deleted or is not served is an error', async () => {
    const cluster = await simulatedCluster(1)
    const { client, simulation, writer } = cluster
    const refused = () => simulation.run(() => migrateStorage({ client, definition }).catch(error => error.code))
    try {
      expect(await refused()).toBe('DEFINITION_NOT_FOUND')
      await cluster.define({ storage: 'v2', unserved: ['v1', 'v2'] })
      expect(await refused()).toBe('NO_SERVED_VERSION')
      await simulation.run(() => cluster.change({ storage: 'v2' }))
      const held = { metadata: key('held'), finalizers: ['x.example.com/hold'] }
      await simulation.run(async () => {
        await writer.create(gamesV1, { metadata: { ...held.metadata, finalizers: held.finalizers } })
        await writer.delete(customResourceDefinitions, { name: definition })
      })
      expect(await refused()).toBe('DEFINITION_TERMINATING')
    } finally {
      await cluster.close()
    }
  })

  it('S1: a definition without a storage version is an error', async () => {
    // No server stores such a one; a client that shows it stands in for it.
    const cluster = await simulatedCluster(1)
    try {
      const get = async () => ({
        metadata: { uid: 'u', generation: 1, resourceVersion: '1' },
        spec: { versions: [{ name: 'v1', served: true, storage: false }] },
      })
      const client = Object.assign(Object.create(cluster.client), { get, environment: cluster.client.environment })
      await expect(migrateStorage({ client, definition })).rejects.toMatchObject({ code: 'NO_STORAGE_VERSION' })
    } finally {
      await cluster.close()
    }
  })

  it('S1: storedVersions that hold the storage version alone are nothing to do, and no object is asked for', async () => {
    const cluster = await simulatedCluster(1)
    const { client, simulation, server } = cluster
    try {
      await cluster.define({ storage: 'v1' })
      await simulation.run(() => cluster.create(3))
      await server.resetStats()
      const report = await simulation.run(() => migrateStorage({ client, definition }))
      expect(report).toMatchObject({ outcome: 'nothing-to-do', storedVersions: ['v1'], removableVersions: ['v2'] })
      expect([await requests(cluster, 'list'), await requests(cluster, 'patch')]).toEqual([0, 0])
    } finally {
      await cluster.close()
    }
  })

  it('S2: a run that is ended goes on after the last page that was kept', () =>
    withGames(25, async cluster => {
      const { client, server } = cluster
      const killed = new AbortController()
      const state = observed(({ counts }) => {
        if (counts.listed === 10) killed.abort(new Error('killed'))
      })
      const options = { client, definition, chunkSize: 5, state }
      await expect(migrateStorage({ ...options, signal: killed.signal })).rejects.toThrow('killed')
      expect(cluster.storedAt('v1')).toHaveLength(15)
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
      await server.resetStats()
      const progress: MigrationProgress[] = []
      const report = await migrateStorage({ ...options, onProgress: reported => progress.push(reported) })
      expect(report).toMatchObject({ outcome: 'migrated', counts: { listed: 25, rewritten: 25 } })
      expect(progress.map(({ resumedAt, counts, total }) => [resumedAt, counts.listed, total])).toEqual([
        [10, 15, 25],
        [10, 20, 25],
        [10, 25, 25],
      ])
      expect([await requests(cluster, 'list'), await requests(cluster, 'patch')]).toEqual([3, 15])
      expect(await state.load(definition)).toBeUndefined()
    }))

  it('S2: an expired list goes on behind the last page in a newer state', () =>
    withGames(25, async cluster => {
      const { client, server } = cluster
      const state = observed(async ({ counts }) => {
        if (counts.listed === 10) await server.compact()
      })
      await server.resetStats()
      const report = await migrateStorage({ client, definition, chunkSize: 5, state })
      expect(report).toMatchObject({ outcome: 'migrated', counts: { listed: 25, rewritten: 25, unchanged: 0 } })
      expect(cluster.storedAt('v1')).toEqual([])
      expect(await requests(cluster, 'list')).toBe(6)
    }))

  it('S2: a kept token that the server refuses makes the list begin again', () =>
    withGames(25, async ({ client, ...cluster }) => {
      const killed = new AbortController()
      const state = observed(({ counts }) => {
        if (counts.listed === 10) killed.abort(new Error('killed'))
      })
      const options = { client, definition, chunkSize: 5, state }
      await expect(migrateStorage({ ...options, signal: killed.signal })).rejects.toThrow('killed')
      const kept = (await state.load(definition)) as MigrationState
      await state.save(definition, { ...kept, continue: 'of another server' })
      const report = await migrateStorage(options)
      expect(report).toMatchObject({ outcome: 'migrated', counts: { listed: 25, rewritten: 15, unchanged: 10 } })
      expect(cluster.storedAt('v1')).toEqual([])
    }))

  it('S2: an expired list without a way to go on begins again', () =>
    withGames(12, async cluster => {
      const { client, server } = cluster
      let expired = false
      const state = observed(async ({ counts }) => {
        if (counts.listed !== 5 || expired) return
        expired = true
        await server.faults.add({ match: { verb: 'list' }, times: 1, effect: { kind: 'expired' } })
      })
      const report = await migrateStorage({ client, definition, chunkSize: 5, state })
      expect(report).toMatchObject({ outcome: 'migrated', counts: { listed: 12, rewritten: 7, unchanged: 5 } })
    }))
})

describe('an object', () => {
  it('S3: is done when it was written, deleted or made again since it was listed', () =>
    withGames(20, async cluster => {
      const { client, writer } = cluster
      // The list shows all of them; what happens to these comes before their patches.
      await cluster.server.faults.add({
        match: { verb: 'patch', name: 'g000' },
        times: 1,
        effect: { kind: 'delay', ms: 500 },
      })
      const failed: number[] = []
      const onProgress = (progress: MigrationProgress) => void failed.push(progress.failed)
      const run = migrateStorage({ client, definition, concurrency: 1, settleMs: 0, onProgress })
      await cluster.simulation.clock.turn()
      await new Promise<void>(resolve => void cluster.simulation.clock.timer(200, resolve))
      await writer.patch(gamesV1, key('g003'), touched)
      await writer.delete(gamesV1, key('g004'))
      await writer.delete(gamesV1, key('g005'))
      await writer.create(gamesV1, { metadata: key('g005') })
      expect(await run).toMatchObject({
        outcome: 'migrated',
        counts: { listed: 20, rewritten: 17, unchanged: 0, changed: 2, gone: 1 },
      })
      expect(failed).toEqual([0])
      expect(cluster.storedAt('v1')).toEqual([])
    }))

  it('S3: that is stored at the storage version already is not written', () =>
    withGames(5, async cluster => {
      const { client, writer } = cluster
      await writer.patch(gamesV1, key('g001'), touched)
      const before = await writer.get(gamesV1, key('g001'))
      const report = await migrateStorage({ client, definition })
      expect(report.counts).toMatchObject({ rewritten: 4, unchanged: 1 })
      expect(await writer.get(gamesV1, key('g001'))).toEqual(before)
    }))

  it('S3: waits as long as Retry-After says, and is tried again after a timeout and a broken connection', () =>
    withGames(4, waits, { client: { maxRetries: 0 } }))

  async function waits(cluster: Cluster): Promise<void> {
    const { client, server, simulation } = cluster
    const add = (name: string, effect: Parameters<typeof server.faults.add>[0]['effect']) =>
      server.faults.add({ match: { verb: 'patch', name }, times: 1, effect })
    await add('g000', { kind: 'status', code: 429, retryAfterSeconds: 40 })
    await add('g001', { kind: 'status', code: 504, reason: 'Timeout' })
    await add('g002', { kind: 'drop', after: true })
    await add('g003', { kind: 'status', code: 500, message: 'failed calling webhook "x": context deadline exceeded' })
    const began = simulation.clock.now()
    const report = await migrateStorage({ client, definition, settleMs: 0 })
    expect(report).toMatchObject({ outcome: 'migrated', counts: { rewritten: 3, changed: 1 } })
    expect(simulation.clock.now() - began).toBeGreaterThanOrEqual(40_000)
  }

  it('S3: that is refused for good is recorded with its reason, and the others are migrated', () =>
    withGames(8, async cluster => {
      const { client, server } = cluster
      const refuse = (name: string, code: number, reason: string, message: string) =>
        server.faults.add({ match: { verb: 'patch', name }, effect: { kind: 'status', code, reason, message } })
      await refuse('g000', 422, 'Invalid', 'Game "webhook-chess" is invalid: spec.players: Required value')
      await refuse('g001', 500, '', 'etcdserver: request is too large')
      await refuse('g002', 400, '', 'admission webhook "deny.example.com" denied the request: no')
      // Webhooks refuse with any status: these two are no conflict and no miss.
      await refuse('g003', 409, 'Conflict', 'admission webhook "deny.example.com" denied the request: no')
      await refuse('g004', 404, 'NotFound', 'admission webhook "deny.example.com" denied the request: no')
      await refuse('g005', 403, 'Forbidden', 'exceeded quota: games')
      await refuse('g006', 503, 'ServiceUnavailable', 'not now')
      const { outcome, failures, counts } = await migrateStorage({ client, definition })
      expect(outcome).toBe('failed')
      expect(failures.map(({ namespace, name, reason }) => [namespace, name, reason])).toEqual([
        ['default', 'g000', 'invalid'],
        ['default', 'g001', 'too-large'],
        ['default', 'g002', 'webhook'],
        ['default', 'g003', 'webhook'],
        ['default', 'g004', 'webhook'],
        ['default', 'g005', 'refused'],
        ['default', 'g006', 'unavailable'],
      ])
      expect(failures[0]?.message).toContain('spec.players: Required value')
      expect(counts).toMatchObject({ listed: 8, rewritten: 1, gone: 0, changed: 0 })
      expect(cluster.storedAt('v2')).toEqual(['g007'])
    }))
})

describe('storedVersions', () => {
  it('S4: stay as they are while one object failed, and a run after it was mended tries that one alone', () =>
    withGames(20, async cluster => {
      const { client, server } = cluster
      const deny = 'admission webhook "deny.example.com" denied the request: no'
      const fault = await server.faults.add({
        match: { verb: 'patch', name: 'g007' },
        effect: { kind: 'status', code: 400, message: deny },
      })
      const options = { client, definition, chunkSize: 5, state: memoryState() }
      expect(await migrateStorage(options)).toMatchObject({ outcome: 'failed', storedVersions: ['v1', 'v2'] })
      expect(await migrateStorage(options)).toMatchObject({ outcome: 'failed', failures: [{ name: 'g007' }] })
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
      await fault.remove()
      await server.resetStats()
      expect(await migrateStorage(options)).toMatchObject({
        outcome: 'migrated',
        counts: { listed: 20, rewritten: 20 },
        failures: [],
      })
      expect([await requests(cluster, 'list'), await requests(cluster, 'patch')]).toEqual([0, 1])
      expect(await cluster.storedVersions()).toEqual(['v2'])
    }))

  it('S4: stay as they are when too many objects failed, and the run ends early', () =>
    withGames(20, async cluster => {
      const { client, server } = cluster
      await server.faults.add({ match: { verb: 'patch' }, effect: { kind: 'status', code: 400, message: 'webhook' } })
      const options = { client, definition, chunkSize: 5, maxFailures: 7, state: memoryState() }
      const report = await migrateStorage(options)
      expect(report).toMatchObject({ outcome: 'failed', complete: false, counts: { listed: 10 } })
      expect(report.failures).toHaveLength(10)
      await server.faults.clear()
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
      expect(await migrateStorage(options)).toMatchObject({ outcome: 'migrated', counts: { listed: 20 } })
      expect(cluster.storedAt('v1')).toEqual([])
    }))

  it.each([
    { changed: 'moved back', after: ['v1'], storage: 'v1' },
    { changed: 'moved back and forth', after: ['v2'], storage: 'v2' },
  ])('S5: the migration begins again when the storage version was $changed', ({ after, storage }) =>
    withGames(12, async cluster => {
      const { client, writer } = cluster
      let once = false
      const state = observed(async ({ counts }) => {
        if (counts.listed !== 5 || once) return
        once = true
        await cluster.change({ storage: 'v1' })
        await writer.patch(gamesV1, key('g000'), touched)
        expect(cluster.storedAt('v1')).toContain('g000')
        await cluster.change({ storage })
      })
      const report = await migrateStorage({ client, definition, chunkSize: 5, state })
      expect(report).toMatchObject({ outcome: 'migrated', storageVersion: storage, storedVersions: after })
      expect(cluster.storedAt(storage)).toHaveLength(12)
    }),
  )

  it('S5: the migration begins again when the definition was made again', () =>
    withGames(12, async cluster => {
      const { client, writer } = cluster
      let once = false
      const state = observed(async ({ counts }) => {
        if (counts.listed !== 5 || once) return
        once = true
        const { clock } = cluster.simulation
        const wait = () => new Promise<void>(resolve => void clock.timer(1000, resolve))
        await writer.delete(customResourceDefinitions, { name: definition })
        await wait()
        await writer.create(customResourceDefinitions, gameDefinition({ storage: 'v1' }))
        await wait()
        await cluster.create(8)
        await cluster.change({ storage: 'v2' })
      })
      const report = await migrateStorage({ client, definition, chunkSize: 5, state })
      expect(report).toMatchObject({ outcome: 'migrated', counts: { listed: 8, rewritten: 8 } })
      expect([cluster.storedAt('v1'), cluster.storedAt('v2')]).toEqual([[], expect.objectContaining({ length: 8 })])
    }))

  it('S5: a change of the definition between its last read and the write is met by a precondition', () =>
    withGames(3, async cluster => {
      const { client, writer } = cluster
      const original = client.status.patch.bind(client.status)
      let tries = 0
      // The write is held back until the storage version was moved back and an object was written.
      Object.assign(client.status, {
        async patch(...args: Parameters<typeof original>) {
          if (tries++ === 0) {
            await cluster.change({ storage: 'v1' })
            await writer.patch(gamesV1, key('g000'), touched)
          }
          return original(...args)
        },
      })
      const report = await migrateStorage({ client, definition })
      expect(report).toMatchObject({ outcome: 'migrated', storageVersion: 'v1', storedVersions: ['v1'] })
      expect(cluster.storedAt('v1')).toHaveLength(3)
    }))

  it('S5: a definition that changes at each attempt is an error in the end', () =>
    withGames(3, async cluster => {
      const { client } = cluster
      let versions = 0
      const state = observed(async () => void (await cluster.change({ storage: versions++ % 2 === 0 ? 'v1' : 'v2' })))
      await expect(migrateStorage({ client, definition, state })).rejects.toMatchObject({ code: 'DEFINITION_UNSTABLE' })
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
    }))

  it.each([
    ['list', { verb: 'list', resource: definition }],
    ['patch', { verb: 'patch', resource: definition }],
    ['status', { verb: 'patch', resource: 'customresourcedefinitions.apiextensions.k8s.io', subresource: 'status' }],
  ])('S4: stay as they are without the right to %s, which is an error that says so', (_, match) =>
    withGames(3, async cluster => {
      const { client, server } = cluster
      const message = `games is forbidden: User "u" cannot ${match.verb} resource "x" in API group "y" at the cluster scope`
      await server.faults.add({ match, effect: { kind: 'status', code: 403, reason: 'Forbidden', message } })
      const error = await migrateStorage({ client, definition }).catch(error => error)
      expect(error).toMatchObject({ name: 'MigrationError', code: 'NO_ACCESS' })
      expect(await cluster.storedVersions()).toEqual(['v1', 'v2'])
    }),
  )

  it('S4: stay as they are without a right, also if the account or the resource is named after a webhook', () =>
    withGames(3, async cluster => {
      const { client, server } = cluster
      const user = 'User "system:serviceaccount:ops:webhook-migrator"'
      const message = `webhooks.example.com "chess" is forbidden: ${user} cannot patch resource "webhooks" in API group "y"`
      const effect = { kind: 'status', code: 403, reason: 'Forbidden', message } as const
      await server.faults.add({ match: { verb: 'patch', resource: definition }, effect })
      const error = await migrateStorage({ client, definition }).catch(error => error)
      expect(error).toMatchObject({ name: 'MigrationError', code: 'NO_ACCESS' })
    }))
})

describe('callers', () => {
  it('X6: each option is checked', async () => {
    const cluster = await simulatedCluster(1)
    const { client } = cluster
    try {
      const wrong = [
        {},
        { client },
        { client, definition: '' },
        { client: {}, definition },
        { client, definition, chunkSize: 0 },
        { client, definition, qps: 0 },
        { client, definition, qps: Number.NaN },
        { client, definition, concurrency: 1.5 },
        { client, definition, maxFailures: 1001 },
        { client, definition, settleMs: -1 },
        { client, definition, state: {} },
        { client, definition, onProgress: true },
        { client, definition, dryRun: true },
      ]
      for (const options of wrong) {
        await expect(migrateStorage(options as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
      }
      await expect(migrateStorage({ client, definition: '../x' })).rejects.toMatchObject({ name: 'InvalidNameError' })
    } finally {
      await cluster.close()
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('thrown by a listener')
      },
    ],
    ['rejects with', () => Promise.reject(new Error('thrown by a listener'))],
  ])('X9: what onProgress %s goes to onError, and the migration goes on', (_, onProgress) =>
    withGames(3, async cluster => {
      const { client, simulation } = cluster
      expect(await migrateStorage({ client, definition, onProgress })).toMatchObject({ outcome: 'migrated' })
      const reported = simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])
      expect(reported).toEqual([['thrown by a listener', 'onProgress']])
    }),
  )

  it.each([
    ['a signal', (signal: AbortSignal) => signal],
    ['an object with the interface of a signal', alikeSignal],
  ])('an abort of %s ends the run, and nothing of it is sent any more', (_, given) =>
    withGames(30, async cluster => {
      const { client, server, simulation } = cluster
      await server.faults.add({ match: { verb: 'patch' }, effect: { kind: 'delay', ms: 100 } })
      const stop = new AbortController()
      const signal = given(stop.signal)
      const run = migrateStorage({ client, definition, signal, settleMs: 0 }).catch(error => error.message)
      await new Promise<void>(resolve => void simulation.clock.timer(150, resolve))
      stop.abort(new Error('enough'))
      expect(await run).toBe('enough')
      const sent = await requests(cluster, 'patch')
      await new Promise<void>(resolve => void simulation.clock.timer(10_000, resolve))
      expect(await requests(cluster, 'patch')).toBe(sent)
      expect(sent).toBeLessThan(30)
    }),
  )

  it('qps spreads the writes', () =>
    withGames(20, async cluster => {
      const { client, simulation } = cluster
      const began = simulation.clock.now()
      await migrateStorage({ client, definition, settleMs: 0, qps: 2 })
      expect(simulation.clock.now() - began).toBeGreaterThanOrEqual(9500)
      expect(simulation.clock.now() - began).toBeLessThan(12_000)
    }))

  it('objects are listed once every API server had the time to learn of the storage version', () =>
    withGames(1, async cluster => {
      const { client, simulation } = cluster
      const began = simulation.clock.now()
      await migrateStorage({ client, definition })
      expect(simulation.clock.now() - began).toBeGreaterThanOrEqual(5000)
    }))
})
