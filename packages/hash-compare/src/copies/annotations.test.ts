import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { readHashes } from '../annotations/hashes-annotation.ts'
import { hashesAnnotation } from '../annotations/key.ts'
import { type Game, games } from '../apply/games.fixture.ts'
import { type Parts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import type { CopyReconciler } from './copy-reconciler.ts'
import { type Kit, type Made, withCopies } from './testkit/cluster.ts'
import { at, fillGames } from './testkit/games.ts'
import { hooked, patching } from './testkit/hooks.ts'

const spec: Parts<object> = parts({ spec: specPart() })
const both: Parts<object> = parts({ spec: specPart(), status: statusPart })
const name = 'games.arcade.example.com'

/** Copies of a game, of which the server defaults `lives`. */
const arcade = (given: Partial<Made<Game, Game>> = {}): Made<Game, Game> => ({
  name: 'arcade',
  source: games.within({ namespaces: ['shared'] }),
  copies: games,
  targets: 'tenant',
  build: ({ metadata, spec: of }) => ({
    metadata: { labels: metadata?.labels },
    spec: { title: of?.title ?? '', players: of?.players ?? 0 },
    ...(given.parts === both && { status: { phase: 'Copied' } }),
  }),
  parts: spec,
  mode: 'annotations',
  ...given,
})

async function started(kit: Kit, options: Made<Game, Game> = arcade()): Promise<CopyReconciler<Game, Game>> {
  const one = kit.make(options)
  one.start()
  await kit.run(() => one.settled())
  await kit.quiet()
  return one
}

/** Ends one, lets others write, and starts another. Gives it with the requests that it made. */
async function restarted(
  kit: Kit,
  one: CopyReconciler<Game, Game>,
  meanwhile: () => Promise<unknown>,
  options?: Made<Game, Game>,
): Promise<readonly [CopyReconciler<Game, Game>, Readonly<Record<string, number>>]> {
  await kit.run(() => one.close())
  await kit.run(meanwhile)
  await kit.requests()
  const next = await started(kit, options)
  return [next, await asked(kit)]
}

/** Requests but for lists. */
async function asked(kit: Kit): Promise<Readonly<Record<string, number>>> {
  const all = await kit.requests()
  return Object.fromEntries(Object.entries(all).filter(([what]) => !what.startsWith('list')))
}

const game = (kit: Kit, namespace = 't1'): Promise<Game | undefined> =>
  kit.run(() => kit.writer.get(games, at(namespace)))
const nothing = { create: 0, update: 0, apply: 0, status: 0, annotate: 0, delete: 0 }

describe('hashes in annotations', () => {
  it('H3, H4: a copy is created with its hashes in one write, and only metadata is watched', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      expect(await asked(kit)).toEqual({ [`create ${name}`]: 3 })
      const copy = await game(kit)
      expect(copy?.spec).toEqual({ title: 'Chess', players: 2, lives: 3 })
      expect(readHashes(copy ?? {})).toEqual({
        hashes: { spec: expect.stringMatching(/^v1:/) },
        generation: 1,
        outdated: false,
      })
      expect(kit.cache.views.filter(view => view.includes('set=arcade'))).toEqual([
        'arcade.example.com/v1/games?labels=copies.wherry.dev/set=arcade&as=metadata',
      ])
      await kit.requests()
      one.resync()
      await kit.run(() => one.settled())
      expect(await kit.requests()).toEqual({})
    }))

  it('H3, H4: a copy with a status is rewritten once its status is there, so that no hash is of what is not', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const options = arcade({ parts: both })
      const one = await started(kit, options)
      expect(await asked(kit)).toEqual({ [`create ${name}`]: 3, [`patch ${name}`]: 6 })
      expect(one.report().writes).toEqual({ ...nothing, create: 3, status: 3, annotate: 3 })
      const [two, requests] = await restarted(kit, one, async () => {}, options)
      expect(requests).toEqual({})
      await kit.run(() => kit.writer.status.patch(games, at('t1'), { status: { phase: 'Edited' } }))
      await kit.quiet()
      // The hash that is there is that of the status again: nothing but the status is written.
      expect(two.report().writes).toEqual({ ...nothing, status: 1 })
      expect((await game(kit))?.status).toEqual({ phase: 'Copied' })
    }))

  it('H3, X10: a copy whose status was not written any more has no hash of it, and gets both after a restart', () =>
    withCopies(async kit => {
      await fillGames(kit, 1)
      const options = arcade({ parts: both })
      kit.server.faults.add({ match: { verb: 'patch', resource: name }, effect: { kind: 'status', code: 500 } })
      const one = kit.make(options)
      one.start()
      await kit.simulation.advance(1000)
      expect(one.report().failures).toBeGreaterThan(0)
      expect(Object.keys(readHashes((await game(kit, 't0')) ?? {})?.hashes ?? {})).toEqual(['spec'])
      const [two] = await restarted(kit, one, async () => kit.server.faults.clear(), options)
      expect(two.report().writes).toEqual({ ...nothing, status: 1, annotate: 1 })
      expect((await game(kit, 't0'))?.status).toEqual({ phase: 'Copied' })
    }))

  it('H6, X10: a restart makes no read, no dry run and no write, whatever the server makes of copies', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const [two, requests] = await restarted(kit, await started(kit), async () => {})
      expect(requests).toEqual({})
      expect(two.report()).toMatchObject({ dryRuns: 0, skipped: expect.any(Number), writes: nothing })
    }))

  it('H3: what was changed while nothing ran is seen by the generation and by labels', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      const [two, requests] = await restarted(kit, one, async () => {
        await kit.writer.patch(games, at('t0'), { spec: { players: 9 } })
        await kit.writer.patch(games, at('t1'), { metadata: { labels: { rogue: 'x' } } })
      })
      // Reads of both, one dry run for their source, two writes.
      expect(requests).toEqual({ [`get ${name}`]: 2, [`update ${name}`]: 3, [`patch ${name}`]: expect.any(Number) })
      expect(two.report()).toMatchObject({ dryRuns: 1, writes: { update: 2 } })
      expect((await game(kit, 't0'))?.spec?.players).toBe(2)
      expect((await game(kit, 't1'))?.metadata?.labels).not.toHaveProperty('rogue')
    }))

  it('H3: the blind spot: a status that was changed while nothing ran', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const options = arcade({ parts: both })
      const [two, requests] = await restarted(
        kit,
        await started(kit, options),
        () => kit.writer.status.patch(games, at('t1'), { status: { phase: 'Edited' } }),
        options,
      )
      expect([requests, (await game(kit))?.status?.phase]).toEqual([{}, 'Edited'])
      await kit.run(() => two.close())
    }))

  it('H3: the blind spot: data without a generation that were changed while nothing ran', () =>
    withCopies(async kit => {
      await kit.fill(1, 3)
      const key = { namespace: 't1', name: 's0' }
      const edit = (n: string) => kit.run(() => kit.writer.patch(configMaps, key, { data: { n } }))
      const one = await kit.settled({ mode: 'annotations' })
      await kit.run(() => one.close())
      await edit('unseen')
      await kit.requests()
      await kit.settled({ mode: 'annotations' })
      expect(await asked(kit)).toEqual({})
      expect((await kit.run(() => kit.writer.get(configMaps, key)))?.data).toEqual({ n: 'unseen' })
      await edit('seen')
      await kit.quiet()
      expect((await kit.run(() => kit.writer.get(configMaps, key)))?.data).toEqual({ n: '0' })
    }))

  it('H3: what is changed while it runs is seen, by one read of what somebody else has written', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const options = arcade({ parts: both })
      const one = await started(kit, options)
      await asked(kit)
      await kit.run(() => kit.writer.status.patch(games, at('t1'), { status: { phase: 'Edited' } }))
      await kit.quiet()
      expect(await asked(kit)).toEqual({ [`get ${name}`]: 1, [`patch ${name}`]: 2 })
      // What does not count is read once, too, and never again.
      await kit.run(() => kit.writer.patch(games, at('t1'), { metadata: { annotations: { note: 'x' } } }))
      await kit.quiet()
      expect(await asked(kit)).toEqual({ [`get ${name}`]: 1, [`patch ${name}`]: 1 })
      one.resync()
      await kit.run(() => one.settled())
      expect(await kit.requests()).toEqual({})
    }))

  it('H4, H7: a changed source is written to its copies with one read and one write each', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      await asked(kit)
      await kit.run(() => kit.writer.patch(games, at('shared'), { spec: { players: 4 } }))
      await kit.quiet()
      expect(await asked(kit)).toEqual({ [`get ${name}`]: 3, [`update ${name}`]: 3, [`patch ${name}`]: 1 })
      expect(one.report().writes).toEqual({ ...nothing, create: 3, update: 3 })
      expect(readHashes((await game(kit)) ?? {})).toMatchObject({ generation: 2, outdated: false })
      expect(kit.events.slice(-3).map(event => event.type === 'written' && event.reason)).toEqual(
        Array(3).fill('changed'),
      )
    }))

  it('H3: a generation that was foretold wrongly is written anew', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      // Only a label: the copy differs from the desired one by what the server defaults, and its generation stays.
      await kit.run(() => kit.writer.patch(games, at('shared'), { metadata: { labels: { app: 'new' } } }))
      await kit.quiet()
      expect(one.report().writes).toEqual({ ...nothing, create: 3, update: 3, annotate: 3 })
      expect(readHashes((await game(kit)) ?? {})).toMatchObject({ generation: 1, outdated: false })
      expect((await game(kit))?.metadata?.labels?.app).toBe('new')
      await kit.requests()
      one.resync()
      await kit.run(() => one.settled())
      expect(await kit.requests()).toEqual({})
    }))

  it('H3: hashes that were taken off are put back, ever more slowly where that goes on', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      const strip = { metadata: { annotations: { [hashesAnnotation]: null } } }
      for (let second = 0; second < 30; second++) {
        if (readHashes((await game(kit)) ?? {}) !== undefined) {
          await kit.run(() => kit.writer.patch(games, at('t1'), strip as never, { fieldManager: 'rival' }))
        }
        await kit.simulation.advance(1000)
      }
      // 3 at once, then after 1, 2, 4, 8 and 16 s
      expect(one.report().writes.annotate).toBeGreaterThanOrEqual(5)
      expect(one.report().writes.annotate).toBeLessThanOrEqual(9)
      expect(one.report().repairs).toBe(one.report().writes.annotate)
      expect(kit.events.filter(({ type }) => type === 'flapping')).toMatchObject([
        { key: 't1/chess', differences: [], managers: [] },
      ])
    }))

  it('H3: copies that another mode has made are read and get their hashes, once', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit, arcade({ mode: 'ingest' }))
      expect(readHashes((await game(kit)) ?? {})).toBeUndefined()
      const [two] = await restarted(kit, one, async () => {})
      expect(two.report()).toMatchObject({ dryRuns: 1, writes: { ...nothing, annotate: 3 }, repairs: 0 })
      const [three, requests] = await restarted(kit, two, async () => {})
      expect(requests).toEqual({})
      // What a mode without hashes writes has none, since they would be of what was there.
      const [four] = await restarted(
        kit,
        three,
        () => kit.writer.patch(games, at('shared'), { spec: { players: 7 } }),
        arcade({ mode: 'full' }),
      )
      expect(four.report().writes).toEqual({ ...nothing, update: 3 })
      expect(readHashes((await game(kit)) ?? {})).toBeUndefined()
    }))

  it('H4: written by apply, they are owned with the rest', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const options = arcade({ parts: both, write: 'apply' })
      const one = await started(kit, options)
      expect(one.report()).toMatchObject({ failures: 0, writes: { ...nothing, apply: 3, status: 3, annotate: 3 } })
      await kit.run(() => kit.writer.patch(games, at('t1'), { spec: { players: 9 } }))
      await kit.quiet()
      expect((await game(kit))?.spec?.players).toBe(2)
      const whole = await kit.run(() => kit.writer.get(games.full(), at('t1')))
      const owner = (whole?.metadata?.managedFields ?? []).filter(({ fieldsV1 }) =>
        JSON.stringify(fieldsV1).includes(hashesAnnotation),
      )
      expect(owner.map(({ manager, operation }) => [manager, operation])).toEqual([['arcade', 'Apply']])
      const [, requests] = await restarted(kit, one, async () => {}, options)
      expect(requests).toEqual({})
    }))

  it('H5: are written to the state that was read only', () =>
    withCopies(async kit => {
      await fillGames(kit, 1)
      const one = await started(kit, arcade({ mode: 'ingest' }))
      kit.server.faults.add({
        match: { verb: 'patch', resource: name },
        times: 2,
        effect: { kind: 'status', code: 409, reason: 'Conflict' },
      })
      const [two] = await restarted(kit, one, async () => {})
      expect(two.report()).toMatchObject({ conflicts: 2, failures: 0, writes: { ...nothing, annotate: 1 } })
    }))

  it('H3: a copy that is gone when it is read is made anew', () =>
    withCopies(async kit => {
      await fillGames(kit, 1)
      const one = await started(kit)
      kit.server.faults.add({ match: { verb: 'get', resource: name }, times: 1, effect: { kind: 'delay', ms: 1000 } })
      await kit.run(() => kit.writer.patch(games, at('t0'), { metadata: { annotations: { note: 'x' } } }))
      await kit.quiet(300)
      expect(one.report().running).toBe(1)
      await kit.run(() => kit.writer.delete(games, at('t0')))
      await kit.quiet(5000)
      expect(one.report()).toMatchObject({ failures: 0, conflicts: 0, running: 0, waiting: 0, failing: new Map() })
      expect(one.report().writes).toEqual({ ...nothing, create: 2 })
    }))

  it('H9: a copy that was read and is as wanted counts as a write that was skipped, one whose hashes are put back does not', () =>
    withCopies(async kit => {
      await fillGames(kit, 1)
      const one = await started(kit)
      const skipped = async (annotations: object): Promise<number> => {
        const before = one.report().skipped
        await kit.run(() => kit.writer.patch(games, at('t0'), { metadata: { annotations } } as never))
        await kit.quiet()
        return one.report().skipped - before
      }
      expect(await skipped({ note: 'x' })).toBe(1)
      const put = one.report().writes.annotate
      // The event of the write itself is one that shows all as it should be.
      expect(await skipped({ [hashesAnnotation]: 'x' })).toBe(1)
      expect(one.report().writes.annotate - put).toBe(1)
    }))

  it('say in a plan what differs, and where they are missing', () =>
    withCopies(async kit => {
      await fillGames(kit, 3)
      const one = await started(kit)
      await kit.run(() => one.close())
      await kit.run(async () => {
        await kit.writer.patch(games, at('t0'), { spec: { players: 9 } })
        await kit.writer.patch(games, at('t1'), { metadata: { annotations: { [hashesAnnotation]: 'x' } } })
      })
      const before = (await kit.run(() => kit.writer.list(games))).items
      const plan = await kit.run(() => kit.make(arcade()).plan())
      expect(`${plan}`.split('\n')).toEqual([
        'action    copy      source        parts',
        'update    t0/chess  shared/chess  spec',
        'annotate  t1/chess  shared/chess',
        '2 to do, 1 as they should be, 0 that fail',
      ])
      expect((await kit.run(() => kit.writer.list(games))).items).toEqual(before)
    }))

  it('of a source are not taken over by its copies', () =>
    withCopies(async kit => {
      await fillGames(kit, 1)
      const marked = { metadata: { annotations: { [hashesAnnotation]: '{"hashes":{}}', note: 'x' } } }
      await kit.run(() => kit.writer.patch(games, at('shared'), marked))
      await started(
        kit,
        arcade({ mode: 'ingest', build: ({ metadata, spec: of }) => ({ metadata, spec: of }) as Game }),
      )
      expect((await game(kit, 't0'))?.metadata?.annotations).not.toHaveProperty([hashesAnnotation])
      expect((await game(kit, 't0'))?.metadata?.annotations?.note).toBe('x')
    }))
})

describe('webhooks, and hashes in annotations', () => {
  const configure = (kit: Kit) =>
    kit.run(() => kit.writer.create(mutatingWebhookConfigurations, hooked('configmaps', { tenant: 'x' }) as never))
  const copy = (kit: Kit): Promise<ConfigMap | undefined> =>
    kit.run(() => kit.writer.get(configMaps, { namespace: 't1', name: 's0' }))

  it('H6: labels that they add count as the copy’s, and after a restart cost a read of each and a dry run of the source', () =>
    withCopies(
      async kit => {
        await kit.fill(1, 3)
        await configure(kit)
        const one = await kit.settled({ mode: 'annotations' })
        expect(one.report().writes).toEqual({ ...nothing, create: 3 })
        await kit.requests()
        one.resync()
        await kit.run(() => one.settled())
        expect(await kit.requests()).toEqual({})
        await kit.run(() => one.close())
        const two = await kit.settled({ mode: 'annotations' })
        expect(await asked(kit)).toEqual({ 'get configmaps': 3, 'update configmaps': 1 })
        expect(two.report()).toMatchObject({ dryRuns: 1, writes: nothing })
        two.resync()
        await kit.run(() => two.settled())
        expect(await kit.requests()).toEqual({})
        await kit.run(() =>
          kit.writer.patch(configMaps, { namespace: 't1', name: 's0' }, { metadata: { labels: { app: 'edited' } } }),
        )
        await kit.quiet()
        expect((await copy(kit))?.metadata?.labels).toMatchObject({ app: 'arcade', hooked: 'x' })
      },
      { webhooks: patching(() => [{ op: 'add', path: '/metadata/labels/hooked', value: 'x' }]) },
    ))

  it('H8: one that takes the hashes off is told of for each copy, and tried again ever more seldom', () =>
    withCopies(
      async kit => {
        await kit.fill(1, 2)
        await configure(kit)
        const one = kit.reconciler({ mode: 'annotations' })
        one.start()
        await kit.quiet(20_000)
        expect([...one.report().failing].map(([key, error]) => [key, (error as { code?: string }).code])).toEqual([
          ['t0/s0', 'HASHES_NOT_KEPT'],
          ['t1/s0', 'HASHES_NOT_KEPT'],
        ])
        expect([...one.report().failing.values()][0]).toMatchObject({ key: 't0/s0', source: 'shared/s0' })
        expect(one.report().failures).toBeLessThan(25)
        // It is tried twice, since the generation may be another after the first.
        expect(one.report().writes.annotate).toBe(2 * one.report().failures)
        expect((await copy(kit))?.data).toEqual({ n: '0' })
      },
      {
        webhooks: patching(() => [
          { op: 'remove', path: `/metadata/annotations/${hashesAnnotation.replace('/', '~1')}` },
        ]),
      },
    ))

  it('H3: a generation that grows with every write is foretold once that was seen', () => {
    let lives = 100
    return withCopies(
      async kit => {
        await fillGames(kit, 2)
        const one = await started(kit, arcade({ mode: 'ingest' }))
        await kit.run(() => one.close())
        const rule = { apiGroups: ['arcade.example.com'], apiVersions: ['v1'] }
        await kit.run(() =>
          kit.writer.create(mutatingWebhookConfigurations, hooked('games', { tenant: 'x' }, undefined, rule) as never),
        )
        const two = await started(
          kit,
          arcade({ parts: parts({ title: (of: Game) => of.spec?.title }), concurrency: 1 }),
        )
        // Of the first copy twice, of the next one once.
        expect(two.report()).toMatchObject({ failures: 0, writes: { ...nothing, annotate: 3 } })
        const held = readHashes((await game(kit)) ?? {})
        expect(held).toMatchObject({ outdated: false })
      },
      { webhooks: patching(() => [{ op: 'add', path: '/spec/lives', value: ++lives }]) },
    )
  })
})
