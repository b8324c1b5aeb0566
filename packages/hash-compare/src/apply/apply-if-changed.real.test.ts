import { Client, isAlreadyExists, isApplyConflict } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps } from '@wherry/client/resources/core'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashAtIngest } from '../ingest/hash-at-ingest.ts'
import { parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { applyIfChanged } from './apply-if-changed.ts'
import { defineGames, type Game, games } from './games.fixture.ts'
import { isWriteConflict } from './write-conflict.ts'

const available = await realApiServerAvailable('applyIfChanged')
const both = parts({ spec: specPart({ annotations: ['size'] }), status: statusPart })
const ingest = games.project(...hashAtIngest(both))

describe.runIf(available)('applyIfChanged, on a real API server', () => {
  let server: RealApiServer
  let client: Client

  beforeAll(async () => {
    server = await sharedRealServer()
    const first = new Client({ url: server.url, ca: server.ca, token: server.token })
    await defineGames(first)
    await first.close()
  })

  beforeEach(() => {
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
  })

  afterEach(() => client.close())

  const game = (name: string, change: Partial<Game> = {}, metadata: Game['metadata'] = {}): Game => ({
    metadata: { name, namespace: 'default', labels: { app: 'arcade' }, ...metadata },
    spec: { title: 'Chess', players: 2, lives: 3 },
    ...change,
  })

  describe.each(['update', 'apply'] as const)('by %s', mode => {
    const options = { mode }
    const name = (of: string): string => `${mode}-${of}`
    const at = (of: string) => ({ name: name(of), namespace: 'default' })

    it('H10: creates a missing object with its status, writes differences, and nothing if all is equal', async () => {
      const desired = game(name('a'), { status: { phase: 'On' } })
      const created = await applyIfChanged(client, games, desired, undefined, both, options)
      expect(created).toMatchObject({ writes: [mode === 'update' ? 'create' : 'apply', 'status'], remaining: [] })
      const equal = await applyIfChanged(client, games, desired, await client.get(games, at('a')), both, options)
      expect(equal).toMatchObject({ reason: 'equal', writes: [] })

      const next = game(name('a'), { spec: { title: 'Go', players: 4, lives: 3 }, status: { score: 5 } })
      const written = await applyIfChanged(client, games, next, created.object, both, options)
      expect(written).toMatchObject({ reason: 'differs', writes: [mode, 'status'], remaining: [] })
      expect(written.differences).toEqual([
        { part: 'spec', paths: ['/spec/players', '/spec/title'], more: false },
        { part: 'status', paths: ['/status/phase', '/status/score'], more: false },
      ])
      expect(written.object).toMatchObject({ spec: next.spec as object, status: { score: 5 } })
      expect(written.object?.status).not.toHaveProperty('phase')
    })

    it('H3, H10: an edit by hand is seen in what was kept at ingest, and repaired in one write', async () => {
      const desired = game(name('b'), { status: { phase: 'On' } }, { annotations: { size: '1' } })
      await applyIfChanged(client, games, desired, undefined, both, options)
      await client.patch(games, at('b'), { spec: { players: 9 } }, { fieldManager: 'hand' })
      const kept = await client.get(ingest, at('b'))
      // By hand the field became another manager's: apply takes it back by force only.
      const force = mode === 'apply' ? true : undefined
      const repaired = await applyIfChanged(client, games, desired, kept, both, { mode, force })
      expect(repaired).toMatchObject({ differences: [{ part: 'spec' }], writes: [mode], remaining: [] })
      expect(repaired.object?.spec?.players).toBe(2)
      const status = await client.status.patch(games, at('b'), { status: { phase: 'Off' } }, { fieldManager: 'hand' })
      expect(await applyIfChanged(client, games, desired, status, both, { mode, force })).toMatchObject({
        differences: [{ part: 'status', paths: ['/status/phase'] }],
        writes: ['status'],
        remaining: [],
      })
    })

    it('H10: another state and another object are conflicts, of the object and of its status', async () => {
      const first = await client.create(games, game(name('c')))
      await client.patch(games, at('c'), { metadata: { labels: { touched: 'x' } } })
      const second = (await client.get(games, at('c'))) as Game
      const { resourceVersion } = second.metadata ?? {}
      const other = { ...second, metadata: { ...second.metadata, uid: '00000000-0000-4000-8000-000000000000' } }
      const stale = { ...second, metadata: { ...second.metadata, resourceVersion: first.metadata?.resourceVersion } }
      const ofSpec = game(name('c'), { spec: { title: 'Go' } })
      const ofStatus = game(name('c'), { status: { score: 1 } }, { labels: second.metadata?.labels })
      // A patch of a custom resource's status is not asked for its uid: there the resourceVersion decides alone.
      for (const [observed, desired] of [
        [other, ofSpec],
        [stale, ofSpec],
        [stale, ofStatus],
      ] as const) {
        const tried = applyIfChanged(client, games, desired, observed, both, options)
        await expect(tried).rejects.toSatisfy(isWriteConflict)
      }
      expect((await client.get(games, at('c')))?.metadata?.resourceVersion).toBe(resourceVersion)
    })
  })

  it("H10: an own object that the cache does not show is repaired, and somebody else's is left", async () => {
    const at = { name: 'unseen', namespace: 'default' }
    await applyIfChanged(client, games, game('unseen'), undefined, both)
    await client.patch(games, at, { metadata: { labels: { app: null } } }, { fieldManager: 'by-hand' })
    const repaired = await applyIfChanged(client, games, game('unseen'), undefined, both)
    expect(repaired).toMatchObject({ reason: 'differs', writes: ['update'], remaining: [] })
    expect((await client.get(games, at))?.metadata?.labels).toEqual({ app: 'arcade' })
    const options = { fieldManager: 'another' }
    const desired = game('unseen', { spec: { title: 'Go' } })
    await expect(applyIfChanged(client, games, desired, undefined, both, options)).rejects.toSatisfy(isAlreadyExists)
  })

  it('H10: apply leaves a field that another manager owns, and says so', async () => {
    const held = await client.create(games, game('owned'), { fieldManager: 'other' })
    const desired = game('owned', { spec: { title: 'Go' } })
    const error = await applyIfChanged(client, games, desired, held, both, { mode: 'apply' }).catch(
      (thrown: unknown) => thrown,
    )
    expect(isApplyConflict(error) && isWriteConflict(error)).toBe(true)
    const added = await applyIfChanged(
      client,
      games,
      { metadata: { name: 'owned', namespace: 'default' } },
      held,
      both,
      {
        mode: 'apply',
      },
    )
    expect(added).toMatchObject({ writes: ['apply'], remaining: ['spec'] })
    expect(added.object?.metadata?.resourceVersion).not.toBe('')
    expect(added.object?.spec).toEqual(held.spec)
  })

  it('writes the status of a built-in resource, and leaves its labels and annotations', async () => {
    const metadata = { name: 'd', namespace: 'default', labels: { a: 'b' }, annotations: { note: 'x' } }
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const created = await client.create(deployments, {
      metadata,
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    })
    const desired = { metadata, spec: created.spec, status: { replicas: 2, readyReplicas: 1 } }
    const { writes, object, remaining } = await applyIfChanged(client, deployments, desired as never, created, both)
    expect({ writes, remaining }).toEqual({ writes: ['status'], remaining: [] })
    expect(object?.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { note: 'x' } })
  })

  it('keeps a ConfigMap as desired by update, what somebody added included', async () => {
    const desired = { metadata: { name: 'cm', namespace: 'default' }, data: { a: '1' } }
    const content = parts({ spec: specPart() })
    await applyIfChanged(client, configMaps, desired, undefined, content)
    const edited = await client.patch(configMaps, { name: 'cm', namespace: 'default' }, { data: { b: '2' } })
    const done = await applyIfChanged(client, configMaps, desired, edited, content)
    expect(done).toMatchObject({
      differences: [{ part: 'spec', paths: ['/data/b'] }],
      writes: ['update'],
      remaining: [],
    })
    expect(done.object?.data).toEqual({ a: '1' })
  })
})
