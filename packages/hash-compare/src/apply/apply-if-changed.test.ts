import { Client, isAlreadyExists, isNotFound, type ObjectMeta } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, simulate, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InexactIntegerError } from '../errors.ts'
import { hashAtIngest } from '../ingest/hash-at-ingest.ts'
import { parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { applyIfChanged } from './apply-if-changed.ts'
import { defineGames, type Game, games } from './games.fixture.ts'
import { isWriteConflict } from './write-conflict.ts'

const both = parts({ spec: specPart({ annotations: ['size'] }), status: statusPart })
const ingest = games.project(...hashAtIngest(both))

const key = { name: 'chess', namespace: 'default' }
const game = (change: Partial<Game> = {}, metadata: ObjectMeta = {}): Game => ({
  metadata: { ...key, labels: { app: 'arcade' }, ...metadata },
  spec: { title: 'Chess', players: 2, lives: 3 },
  ...change,
})

describe('applyIfChanged', () => {
  const simulation = simulate(9)
  let server: EmbeddedApiServer
  let client: Client
  const run = <T>(fn: () => Promise<T>): Promise<T> => simulation.run(fn)

  beforeEach(() =>
    run(async () => {
      const { clock, environment, random } = simulation
      server = await startApiServer({ sockets: false, clock, random: random.fork('server') })
      const transport = server.transport({ random: random.fork('network') })
      client = new Client({ url: server.url, transport, environment, token: server.token, ca: server.ca })
      await defineGames(client)
      await server.resetStats()
    }),
  )

  afterEach(() =>
    run(async () => {
      await client.close()
      await server.close()
    }),
  )

  /** Requests about games since the last call, by verb. */
  async function requests(): Promise<Record<string, number>> {
    const { byVerb } = await server.stats()
    await server.resetStats()
    const counted = Object.entries(byVerb).map(([verb, resources]) => {
      const { 'games.arcade.example.com': ofGames, configmaps } = resources
      return [verb, (ofGames?.requests ?? 0) + (configmaps?.requests ?? 0)] as const
    })
    return Object.fromEntries(counted.filter(([, number]) => number > 0))
  }

  const observe = async (): Promise<Game> => {
    const found = (await client.get(games, key)) as Game
    await requests()
    return found
  }

  it('H10: creates a missing object, and sends nothing if all is equal', () =>
    run(async () => {
      const created = await applyIfChanged(client, games, game(), undefined, both)
      expect(created).toMatchObject({ reason: 'missing', differences: [], writes: ['create'], remaining: [] })
      expect(created.object?.spec).toEqual({ title: 'Chess', players: 2, lives: 3 })
      expect(await requests()).toEqual({ create: 1 })
      const observed = await observe()
      const equal = await applyIfChanged(client, games, game(), observed, both)
      expect(equal).toEqual({ reason: 'equal', differences: [], writes: [], object: undefined, remaining: [] })
      expect(await requests()).toEqual({})
    }))

  it('H10: a status that is desired is written after a create, where the create left it out', () =>
    run(async () => {
      const desired = game({ status: { phase: 'On' } })
      const { writes, object, remaining } = await applyIfChanged(client, games, desired, undefined, both)
      expect(writes).toEqual(['create', 'status'])
      expect(object).toMatchObject({ spec: { title: 'Chess' }, status: { phase: 'On' } })
      expect(remaining).toEqual([])
      expect(await applyIfChanged(client, games, desired, await observe(), both)).toMatchObject({ writes: [] })
    }))

  it('H10: reports each write that was made, also if the next one is refused', () =>
    run(async () => {
      const effect = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      await server.faults.add({ match: { resource: 'games.arcade.example.com', subresource: 'status' }, effect })
      const reported: unknown[] = []
      const onWrite = (what: string, { metadata }: { metadata?: ObjectMeta | undefined }): void => {
        reported.push([what, metadata?.name, metadata?.resourceVersion])
      }
      const desired = game({ status: { phase: 'On' } })
      const applied = applyIfChanged(client, games, desired, undefined, both, { onWrite })
      await expect(applied).rejects.toMatchObject({ reason: 'Forbidden' })
      expect(reported).toEqual([['create', 'chess', (await observe()).metadata?.resourceVersion]])
    }))

  it('X9: waits for `onWrite`, and throws on what that rejects with', () =>
    run(async () => {
      const onWrite = async (): Promise<void> => {
        await Promise.resolve()
        throw new Error('the audit log is full')
      }
      const applied = applyIfChanged(client, games, game({ status: { phase: 'On' } }), undefined, both, { onWrite })
      await expect(applied).rejects.toThrow('the audit log is full')
      expect(await requests()).toEqual({ create: 1 })
    }))

  it('H10: a spec that differs is one update, a status that differs one write of the status, both are two', () =>
    run(async () => {
      await applyIfChanged(client, games, game({ status: { phase: 'On', score: 1 } }), undefined, both)
      const more = { title: 'Chess', players: 3, lives: 3 }
      const steps = [
        [game({ spec: more }), ['update'], ['spec'], { update: 1 }],
        [game({ spec: more, status: { phase: 'Off' } }), ['status'], ['status'], { patch: 1 }],
        [game({ status: { score: 7 } }), ['update', 'status'], ['spec', 'status'], { update: 1, patch: 1 }],
      ] as const
      for (const [desired, writes, differing, counted] of steps) {
        const done = await applyIfChanged(client, games, desired, await observe(), both)
        expect(done).toMatchObject({ reason: 'differs', writes, remaining: [] })
        expect(done.differences.map(({ part }) => part)).toEqual(differing)
        expect(done.object).toMatchObject({ spec: desired.spec as object })
        expect(await requests()).toEqual(counted)
      }
      expect((await observe()).status).toEqual({ score: 7 })
    }))

  it('says where the parts differ, with as many paths as are wanted', () =>
    run(async () => {
      await client.create(games, game({}, { labels: { app: 'x' } }))
      const done = await applyIfChanged(client, games, game({ spec: { title: 'Go', lives: 3 } }), await observe(), both)
      expect(done.differences).toEqual([
        { part: 'spec', paths: ['/metadata/labels/app', '/spec/players', '/spec/title'], more: false },
      ])
      const one = await applyIfChanged(client, games, game(), await observe(), both, { maxPaths: 1 })
      expect(one.differences).toEqual([{ part: 'spec', paths: ['/spec/players'], more: true }])
    }))

  it('a part that is not desired is not compared: another’s status stays', () =>
    run(async () => {
      const created = await client.create(games, game())
      await client.status.update(games, { ...created, status: { phase: 'On' } })
      expect(await applyIfChanged(client, games, game(), await observe(), both)).toMatchObject({ reason: 'equal' })
      const changed = await applyIfChanged(client, games, game({ spec: { title: 'Go' } }), await observe(), both)
      expect(changed.writes).toEqual(['update'])
      expect(changed.object?.status).toEqual({ phase: 'On' })
    }))

  it('an update keeps what others have on the metadata, and removes what a part holds', () =>
    run(async () => {
      const finalizers = ['example.com/mine']
      const annotations = { size: '9', note: 'by hand' }
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
      await client.create(
        games,
        game({}, { labels: { app: 'x', added: 'y' }, annotations, finalizers, ownerReferences: [owner] }),
      )
      const desired = game({}, { annotations: { other: 'z' }, finalizers: undefined })
      const { object, remaining } = await applyIfChanged(client, games, desired, await observe(), both)
      expect(object?.metadata).toMatchObject({ finalizers, ownerReferences: [owner] })
      expect(object?.metadata?.labels).toEqual({ app: 'arcade' })
      expect(object?.metadata?.annotations).toEqual({ note: 'by hand', other: 'z' })
      expect(remaining).toEqual([])
      await client.patch(games, key, { metadata: { finalizers: null } })
    }))

  it('with what was kept at ingest an update reads the object first, and a status is written without', () =>
    run(async () => {
      await client.create(games, game({ spec: { title: 'Go' } }, { annotations: { note: 'by hand' } }))
      const hashed = async () => {
        const found = await client.get(ingest, key)
        await requests()
        return found
      }
      const desired = game({ status: { phase: 'On' } })
      const done = await applyIfChanged(client, games, desired, await hashed(), both)
      expect(done).toMatchObject({ differences: [{ part: 'spec' }, { part: 'status' }], writes: ['update', 'status'] })
      expect(done.object?.metadata?.annotations).toEqual({ note: 'by hand' })
      expect(await requests()).toMatchObject({ get: 1, update: 1 })
      expect(await applyIfChanged(client, games, desired, await hashed(), both)).toMatchObject({ reason: 'equal' })
      expect(await requests()).toEqual({})
      const off = game({ status: { phase: 'Off' } })
      expect(await applyIfChanged(client, games, off, await hashed(), both)).toMatchObject({
        differences: [{ part: 'status' }],
        writes: ['status'],
      })
      expect(await requests()).not.toHaveProperty('get')
    }))

  it('H10: an object that has changed since is a conflict, and is not overwritten', () =>
    run(async () => {
      const stale = await client.create(games, game({ spec: { title: 'Go' } }))
      const hashed = await client.get(ingest, key)
      await client.patch(games, key, { spec: { players: 5 } })
      for (const observed of [stale, hashed]) {
        const error = await applyIfChanged(client, games, game(), observed, both).catch((thrown: unknown) => thrown)
        expect(isWriteConflict(error)).toBe(true)
      }
      const status = { ...stale, spec: game().spec as object }
      const error = await applyIfChanged(client, games, game({ status: { score: 1 } }), status, both).catch(
        (thrown: unknown) => thrown,
      )
      expect(isWriteConflict(error)).toBe(true)
      expect(await client.get(games, key)).toMatchObject({ spec: { title: 'Go', players: 5 } })
      expect(await client.get(games, key)).not.toHaveProperty('status')
    }))

  it('H10: another object of that name is a conflict, and is not overwritten', () =>
    run(async () => {
      const first = await client.create(games, game({ spec: { title: 'Go' } }))
      await client.delete(games, key)
      const gone = await applyIfChanged(client, games, game(), first, both).catch((thrown: unknown) => thrown)
      expect(isNotFound(gone) || isWriteConflict(gone)).toBe(true)
      const second = await client.create(games, game({ spec: { title: 'Go' } }))
      const { resourceVersion } = second.metadata ?? {}
      const mixed = { ...first, metadata: { ...first.metadata, resourceVersion } }
      const ofSpec = await applyIfChanged(client, games, game(), mixed, both).catch((thrown: unknown) => thrown)
      expect(isWriteConflict(ofSpec)).toBe(true)
      expect((await client.get(games, key))?.metadata?.resourceVersion).toBe(resourceVersion)
    }))

  it('H10: an own object that the cache does not show is read after the create, and written as an observed one', () =>
    run(async () => {
      const labels = { app: 'arcade' }
      await client.create(games, game())
      await client.patch(games, key, { metadata: { labels: { app: null }, finalizers: ['example.com/other'] } })
      await requests()
      const repaired = await applyIfChanged(client, games, game({}, { labels }), undefined, both)
      expect(repaired).toMatchObject({ reason: 'differs', writes: ['update'], remaining: [] })
      expect(repaired.differences).toMatchObject([{ part: 'spec', paths: ['/metadata/labels/app'] }])
      expect(await requests()).toEqual({ create: 1, get: 1, update: 1 })
      expect((await client.get(games, key))?.metadata).toMatchObject({ labels, finalizers: ['example.com/other'] })
      // The object has left the view, as a view with exact numbers is read, too.
      await client.patch(games, key, { metadata: { labels: { app: null } } })
      const exact = games.within({ labels }).exact()
      await applyIfChanged(client, exact, game({}, { labels }), undefined, both)
      expect((await client.get(games, key))?.metadata).toMatchObject({ labels })
      await requests()
      const equal = await applyIfChanged(client, games, game({}, { labels }), undefined, both)
      expect(equal).toMatchObject({ reason: 'equal', writes: [] })
      expect(await requests()).toEqual({ create: 1, get: 1 })
    }))

  it("H10: an object that the cache does not show and that is somebody else's is left", () =>
    run(async () => {
      const owned = async (name: string): Promise<Game> => {
        const at = { name, namespace: 'default' }
        const { metadata } = (await client.get(configMaps, at)) ?? (await client.create(configMaps, { metadata: at }))
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata?.uid ?? '', controller: true }
        return game({}, { ownerReferences: [owner] })
      }
      const [a, b] = [await owned('a'), await owned('b')]
      const isLeft = async (existing: Game, desired: Game, fieldManager?: string): Promise<void> => {
        const { metadata } = await client.create(games, existing, { fieldManager })
        const options = { fieldManager: 'ours' }
        const error = await applyIfChanged(client, games, desired, undefined, both, options).catch(thrown => thrown)
        expect(isAlreadyExists(error)).toBe(true)
        expect((await client.get(games, key))?.metadata?.resourceVersion).toBe(metadata?.resourceVersion)
        await client.delete(games, key)
      }
      const other = { spec: { title: 'Go' } }
      await isLeft(game(other), game(), 'theirs')
      await isLeft(game(other), a, 'ours')
      await isLeft(b, a, 'ours')
      await isLeft(b, game(other), 'ours')
      await client.create(games, { ...a, ...other }, { fieldManager: 'theirs' })
      expect(await applyIfChanged(client, games, a, undefined, both)).toMatchObject({ writes: ['update'] })
    }))

  it('says which parts the server will not have as desired', () =>
    run(async () => {
      const desired = game({ spec: { title: 'Chess' } })
      const created = await applyIfChanged(client, games, desired, undefined, both)
      expect(created.object?.spec?.lives).toBe(3)
      expect(created.remaining).toEqual(['spec'])
      const again = await applyIfChanged(client, games, desired, await observe(), both)
      expect(again).toMatchObject({ writes: ['update'], remaining: ['spec'] })
      expect(again.differences).toEqual([{ part: 'spec', paths: ['/spec/lives'], more: false }])
      expect(again.object?.metadata?.resourceVersion).toBe(created.object?.metadata?.resourceVersion)
    }))

  it('replaces data as a whole, and writes no status of a resource without one', () =>
    run(async () => {
      const content = parts({ spec: specPart() })
      const at = (data: Record<string, string>) => ({ metadata: { ...key }, data })
      const created = await applyIfChanged(client, configMaps, at({ a: '1', b: '2' }), undefined, content)
      const updated = await applyIfChanged(client, configMaps, at({ a: '3' }), created.object, content)
      expect(updated.object?.data).toEqual({ a: '3' })
      expect(await requests()).toEqual({ create: 1, update: 1 })
    }))

  it('X3: names keys of a Secret, and none of its values', () =>
    run(async () => {
      const content = parts({ spec: specPart() })
      const secret = (password: string) => ({ metadata: { ...key }, type: 'Opaque', data: { password } })
      const { object } = await applyIfChanged(client, secrets, secret('aHVudGVyMg=='), undefined, content)
      const { differences } = await applyIfChanged(client, secrets, secret('b3RoZXI='), object, content)
      expect(differences).toEqual([{ part: 'spec', paths: ['/data/password'], more: false }])
    }))

  it('H1, X11: what can not be hashed is an error before any request', () =>
    run(async () => {
      const observed = await client.create(games, game())
      await requests()
      const large = game({ spec: { players: 2 ** 60 } })
      await expect(applyIfChanged(client, games, large, observed, both)).rejects.toThrow(InexactIntegerError)
      await expect(applyIfChanged(client, games, large, undefined, both)).rejects.toThrow(InexactIntegerError)
      await expect(
        applyIfChanged(client, games, game(), { ...observed, spec: large.spec as object }, both),
      ).rejects.toThrow(InexactIntegerError)
      expect(await requests()).toEqual({})
    }))

  it('H10: an observed object that no server sent is an error before any request', () =>
    run(async () => {
      for (const desired of [game(), game({ spec: { title: 'Go' }, status: { score: 1 } })]) {
        const observed = game({ spec: { title: 'Go' } })
        await expect(applyIfChanged(client, games, desired, observed, both)).rejects.toMatchObject({
          code: 'INVALID_OPTION',
          option: 'observed',
        })
      }
      expect(await requests()).toEqual({})
    }))

  it.each([
    [{ mode: 'put' }, 'mode'],
    [{ force: true }, 'force'],
    [{ mode: 'update', force: false }, 'force'],
    [{ mode: 'apply', force: 1 }, 'force'],
    [{ maxPaths: 0 }, 'maxPaths'],
    [{ timeoutMs: -1 }, 'timeoutMs'],
    [{ dryRun: true }, 'dryRun'],
    [{ fieldManager: '' }, 'fieldManager'],
    [{ fieldValidation: 'No' }, 'fieldValidation'],
    [{ signal: {} }, 'signal'],
  ])('X6: refuses %j', (options, option) =>
    run(() =>
      expect(applyIfChanged(client, games, game(), undefined, both, options as object)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        option: `applyIfChanged.${option}`,
      }),
    ),
  )

  it('X6: refuses to do without parts', () =>
    run(async () => {
      const called = applyIfChanged(client, games, game(), undefined, undefined as never)
      await expect(called).rejects.toThrow('parts takes parts({ … }), got undefined')
      const options = applyIfChanged(client, games, game(), undefined, { mode: 'apply' } as never)
      await expect(options).rejects.toThrow('parts takes parts({ … }), got an object')
    }))

  it('hands its options on to each request', () =>
    run(async () => {
      const desired = game({ status: { phase: 'On' } })
      await applyIfChanged(client, games, desired, undefined, both, { fieldManager: 'mine' })
      const full = await client.get(games.full(), key)
      expect(full?.metadata?.managedFields?.map(({ manager }) => manager) ?? []).not.toContain('wherry')
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(applyIfChanged(client, games, game({ spec: {} }), full, both, { signal })).rejects.toThrow('enough')
    }))
})
