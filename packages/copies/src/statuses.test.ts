import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { FlappingError, NoStatusError } from '@wherry/controller'
import { describe, expect, it } from 'vitest'
import { copySetLabel } from './marks.ts'
import type { CopiesOptions } from './options.ts'
import { type Kit, type Running, withCopies } from './testkit/cluster.ts'
import { copied, defineGames, type Game, games, gamesOf } from './testkit/games.ts'
import { hooked } from './testkit/hooks.ts'

const options = gamesOf('shared', 'tenant')
const key = (namespace: string, name = 'chess') => ({ namespace, name })

/** A cluster with games, namespaces for copies, and the source `chess`. */
const withGames = (
  test: (
    kit: Kit & {
      start(given?: Partial<CopiesOptions<Game, Game>>): Promise<Running<Game, Game>>
      status(namespace: string): Promise<Game['status']>
      /** Does a change by hand, and returns which other requests came of it. */
      after(change: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>
      patch(namespace: string, status: object, fieldManager?: string): Promise<unknown>
    },
  ) => Promise<void>,
  { targets = 2, ...given }: Parameters<typeof withCopies>[1] & { readonly targets?: number } = {},
): Promise<void> =>
  withCopies(async kit => {
    const { run, writer } = kit
    const defined = run(() => defineGames(writer))
    await kit.quiet()
    await defined
    await kit.fill(0, targets)
    await run(() => writer.create(games, { metadata: key('shared'), spec: { title: 'Chess' } }))
    await test({
      ...kit,
      start: more => kit.keep({ ...options, ...more }),
      status: async namespace => (await run(() => writer.get(games, key(namespace))))?.status,
      after: async change => {
        await kit.requests()
        await run(change)
        await kit.quiet()
        const { 'patch games.arcade.example.com': patches = 0, ...rest } = await kit.requests()
        return { ...rest, patches: patches - 1 }
      },
      patch: (namespace, status, fieldManager) =>
        writer.status.patch(games, key(namespace), { status }, { fieldManager }),
    })
  }, given)

describe('the status of copies', () => {
  it('H4: is applied to each, and a resync or a restart makes no request', () =>
    withGames(async ({ start, status, requests, quiet, run, errors }) => {
      const { copies, stop } = await start()
      expect(await status('t1')).toEqual(copied({ spec: { title: 'Chess' } }))
      expect(await status('shared')).toBeUndefined()
      expect(copies.report()).toMatchObject({
        writes: { create: 2, update: 0, delete: 0 },
        statusWrites: 2,
        learned: 0,
      })
      await requests()
      copies.resync()
      await quiet()
      expect(await requests()).toEqual({})
      await run(stop)
      await requests()
      const again = await start()
      expect(await requests()).not.toHaveProperty('patch games.arcade.example.com')
      expect(again.copies.report()).toMatchObject({ statusWrites: 0, learned: 0, failures: 0, repairs: 0 })
      expect(errors()).toEqual([])
    }))

  it('H4: that somebody changes is repaired with one write and no read, and what others add stays', () =>
    withGames(async ({ start, status, after, patch }) => {
      const { copies } = await start()
      expect(await after(() => patch('t0', { phase: 'Edited' }))).toEqual({ patches: 1 })
      expect(await after(() => patch('t0', { phase: null }))).toEqual({ patches: 1 })
      expect(await after(() => patch('t0', { conditions: [] }))).toEqual({ patches: 1 })
      expect(await after(() => patch('t0', { players: ['bob'] }))).toEqual({ patches: 1 })
      const more = {
        notes: { mine: 'x' },
        players: ['zoe', 'ann', 'bob'],
        conditions: [
          { type: 'Mine', status: 'True' },
          { type: 'Copied', status: 'True', reason: 'Mine' },
        ],
      }
      expect(await after(() => patch('t0', more))).toEqual({ patches: 0 })
      expect(await status('t0')).toEqual({ ...more, phase: 'Copied Chess', notes: { of: 'copies', mine: 'x' } })
      expect(copies.report()).toMatchObject({ repairs: 4, statusWrites: 2 + 4, writes: { update: 0 } })
    }))

  it('H4: follows its source, also to no status, and is written once for each state', () =>
    withGames(async ({ start, status, after, patch, run, writer }) => {
      await start({ status: game => (game.spec?.title === 'none' ? undefined : copied(game)) })
      await run(() => patch('t0', { notes: { mine: 'x' } }, 'somebody'))
      const title = (to: string) => after(() => writer.patch(games, key('shared'), { spec: { title: to } }))
      expect(await title('Go')).toEqual({ patches: 2 + 2 })
      expect(await status('t1')).toEqual(copied({ spec: { title: 'Go' } }))
      expect(await title('none')).toEqual({ patches: 2 + 2 })
      expect([await status('t0'), (await status('t1')) ?? {}]).toEqual([{ notes: { mine: 'x' } }, {}])
      expect(await title('Go')).toEqual({ patches: 2 + 2 })
      expect(await status('t1')).toEqual(copied({ spec: { title: 'Go' } }))
    }))

  it('H4: has its hash in an annotation of each copy, and a resync or a restart makes no request', () =>
    withGames(async ({ start, status, after, patch, run, writer, requests, quiet, errors }) => {
      const more = {
        ...{ hashAnnotation: 'hash', statusHashAnnotation: 'status-hash' },
        status: (game: Game) => (game.spec?.title === 'none' ? undefined : { phase: `Lives ${game.spec?.lives}` }),
      }
      const hashes = async (namespace: string) => {
        const { hash, 'status-hash': ofStatus } =
          (await run(() => writer.get(games, key(namespace))))?.metadata?.annotations ?? {}
        return [hash, ofStatus]
      }
      const { copies, stop } = await start(more)
      const first = await hashes('t0')
      expect(first).toEqual([expect.stringMatching(/^.{22}$/), expect.stringMatching(/^.{22}$/)])
      expect(await hashes('t1')).toEqual(first)
      await requests()
      copies.resync()
      await quiet()
      expect(await requests()).toEqual({})
      await run(stop)
      await requests()
      await start(more)
      expect(await requests()).not.toHaveProperty('patch games.arcade.example.com')

      const spec = (to: object) => after(() => writer.patch(games, key('shared'), { spec: to }))
      expect(await spec({ lives: 9 })).toEqual({ patches: 2 + 2 })
      const second = await hashes('t0')
      expect(second).toEqual([first[0], expect.not.stringMatching(`^${first[1]}$`)])
      expect(await status('t0')).toEqual({ phase: 'Lives 9' })
      expect(await spec({ lives: 3 })).toEqual({ patches: 2 + 2 })
      expect(await hashes('t1')).toEqual(first)
      expect(await after(() => patch('t0', { phase: 'Edited' }))).toEqual({ patches: 1 })
      const annotations = { 'status-hash': 'edited' }
      expect(await after(() => writer.patch(games, key('t1'), { metadata: { annotations } }))).toEqual({ patches: 1 })
      expect(await hashes('t1')).toEqual(first)
      await spec({ title: 'none' })
      expect(await hashes('t0')).toEqual([expect.not.stringMatching(`^${first[0]}$`), undefined])
      expect(errors()).toEqual([])
    }))

  it('H4: without the option it is left to others', () =>
    withGames(async ({ start, status, after, patch }) => {
      await start({ status: undefined })
      expect(await after(() => patch('t0', { phase: 'Mine' }))).toEqual({ patches: 0 })
      expect(await status('t0')).toEqual({ phase: 'Mine' })
    }))

  it('H4: without fields is no status: a status of others makes no request', () =>
    withGames(async ({ start, after, patch }) => {
      await start({ status: () => ({}) })
      expect(await after(() => patch('t0', { phase: 'Mine' }))).toEqual({ patches: 0 })
    }))

  it('H6: that the server stores in another form is learned from one request, also after a restart', () => {
    const webhooks = async ({ review: given }: { readonly review: unknown }): Promise<unknown> => {
      const { request, ...review } = given as { readonly request: { readonly uid: string } }
      const patch = Buffer.from('[{"op":"add","path":"/status/phase","value":"hooked"}]').toString('base64')
      return { ...review, response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch } }
    }
    return withGames(
      async ({ start, status, requests, quiet, run, writer }) => {
        const of = { apiGroups: ['arcade.example.com'], apiVersions: ['v1'] }
        const hook = hooked('games/status', { tenant: 'x' }, undefined, of)
        await run(() => writer.create(mutatingWebhookConfigurations, hook as never))
        const { copies, stop } = await start()
        expect(await status('t3')).toMatchObject({ phase: 'hooked' })
        await requests()
        copies.resync()
        await quiet()
        expect(await requests()).toEqual({})
        await run(stop)
        await requests()
        const again = await start()
        expect((await requests())['patch games.arcade.example.com']).toBe(1)
        expect(again.copies.report()).toMatchObject({ statusWrites: 0, learned: 1 })
      },
      { webhooks, targets: 4 },
    )
  })

  it('H6, H8: that another program keeps changing is written ever more slowly, and reported once with its name', () =>
    withGames(async ({ start, status, patch, run, quiet, errors }) => {
      const { copies } = await start()
      for (let i = 0; i < 100; i++) {
        await run(() => patch('t0', { phase: `${i}` }, 'rival'))
        await quiet(100)
      }
      expect(errors()).toEqual([expect.any(FlappingError)])
      expect(errors()).toMatchObject([{ key: 't0/chess', managers: ['rival'] }])
      expect(copies.report().delayed).toEqual(['t0/chess'])
      // Three at once, and then after 1 s, 2 s and 4 s, in ten seconds.
      expect(copies.report().repairs).toBeLessThanOrEqual(6)
      expect(copies.report().repairs).toBeGreaterThan(3)
      await quiet(60_000)
      expect(await status('t0')).toMatchObject({ phase: 'Copied Chess' })
      expect(copies.report().delayed).toEqual([])
      // After some peace it is repaired at once again.
      await quiet(120_000)
      for (const phase of ['once more', 'and again']) {
        await run(() => patch('t0', { phase }, 'rival'))
        await quiet(100)
        expect(await status('t0')).toMatchObject({ phase: 'Copied Chess' })
      }
    }))

  it('H5, H8: that is refused is reported, and in the report until it is over, and the copy is made', () =>
    withGames(async ({ keep, run, server, writer, quiet, errors, requests }) => {
      const match = { verb: 'patch', resource: 'games.arcade.example.com', subresource: 'status' }
      await run(() => server.faults.add({ match, effect: { kind: 'status', code: 403, reason: 'Forbidden' } }))
      const { copies } = await keep({ ...options, maxRetryMs: 60_000 }, { settles: false })
      expect([...copies.report().failing.keys()].sort()).toEqual(['t0/chess', 't1/chess'])
      expect(copies.report()).toMatchObject({ writes: { create: 2 }, statusWrites: 0 })
      expect(errors().length).toBeGreaterThan(0)
      // It is tried ever more slowly.
      await quiet(60_000)
      await requests()
      await quiet(60_000)
      expect((await requests())['patch games.arcade.example.com']).toBeLessThanOrEqual(4)
      await run(() => server.faults.clear())
      await quiet(120_000)
      expect(copies.report()).toMatchObject({ failing: new Map(), statusWrites: 2 })
      expect((await run(() => writer.list(games.within({ labels: copySetLabel })))).items).toHaveLength(2)
    }))

  it('H8: of a resource without that subresource is an error that says so', () =>
    withGames(async ({ keep, run, writer, quiet }) => {
      const name = { name: 'games.arcade.example.com' }
      const [version] = (await run(() => writer.get(customResourceDefinitions, name)))?.spec?.versions ?? []
      const { subresources: _, ...without } = version as { readonly subresources?: unknown }
      await run(() => writer.patch(customResourceDefinitions, name, { spec: { versions: [without] } } as never))
      await quiet()
      const { copies } = await keep(options, { settles: false })
      expect(copies.report().failing.get('t0/chess')).toBeInstanceOf(NoStatusError)
    }))

  it.each<[what: string, status: () => unknown, message: RegExp]>([
    [
      'throws',
      () => {
        throw new Error('of the status')
      },
      /of the status/,
    ],
    ['gives a promise', async () => ({}), /a status that is a promise/],
    ['gives a list', () => [], /a status that is a list/],
    ['gives null', () => null, /a status that is null/],
  ])('H8: with a function that %s is reported once, and the copy stays as it is', (_, status, message) =>
    withGames(async ({ start, errors, writer, run }) => {
      const { copies } = await start({ status: status as never })
      expect(errors()).toMatchObject([{ message: expect.stringMatching(message) }])
      expect([...copies.report().failing.keys()].sort()).toEqual(['t0/chess', 't1/chess'])
      expect((await run(() => writer.list(games.within({ labels: copySetLabel })))).items).toEqual([])
    }),
  )

  it('H9: is counted by reason', () =>
    withGames(async ({ client, start, after, patch, writer }) => {
      const counted: string[] = []
      const count = (name: string, labels: Record<string, string> = {}): void => {
        if (labels.verb === 'status' || name.includes('drift')) counted.push([name, ...Object.values(labels)].join(' '))
      }
      Object.assign(client.environment.metrics, { count })
      await start()
      await after(() => patch('t0', { phase: 'Edited' }))
      await after(() => writer.patch(games, key('shared'), { spec: { title: 'Go' } }))
      const wrote = 'wherry_copies_writes_total shared status'
      expect(counted).toEqual([
        ...Array(2).fill(`${wrote} missing`),
        ...[`${wrote} drift`, 'wherry_copies_drift_repairs_total shared'],
        ...Array(2).fill(`${wrote} changed`),
      ])
    }))

  it('H5: is for the copy that was observed, and not for an object in its place', () =>
    withGames(async ({ keep, run, writer, server, requests, quiet, status, patch }) => {
      const ofConfigMaps: CopiesOptions<ConfigMap, Game> = {
        ...{ name: 'behind', source: configMaps.within({ namespaces: ['shared'] }), copies: games, targets: 'tenant' },
        ...{ copyName: () => 'chess', build: () => ({ spec: { title: 'Chess' } }), maxRetryMs: 1000 },
        status: ({ data }) => ({ phase: data?.n ?? '' }),
      }
      await run(() => writer.create(configMaps, { metadata: key('shared', 's0'), data: { n: 'old' } }))
      const { copies } = await keep(ofConfigMaps)
      // From now on the cache receives no copy.
      const match = { verb: 'watch', resource: 'games.arcade.example.com' }
      await run(() => server.faults.add({ match, effect: { kind: 'hang' } }))
      await run(() => server.endWatches())
      await quiet()
      await run(() => writer.delete(games, key('t0')))
      await run(() => writer.create(games, { metadata: key('t0'), spec: { title: 'mine' } }))
      await run(() => patch('t0', { phase: 'mine' }))
      await requests()
      await run(() => writer.patch(configMaps, key('shared', 's0'), { data: { n: 'new' } }))
      await quiet()
      expect((await requests())['patch games.arcade.example.com']).toBeGreaterThan(1)
      expect([await status('t0'), await status('t1')]).toEqual([{ phase: 'mine' }, { phase: 'new' }])
      expect([...copies.report().failing]).toMatchObject([['t0/chess', { status: 422 }]])
      await run(() => server.faults.clear())
      await run(() => server.endWatches())
      await quiet(900_000)
      expect(await status('t0')).toEqual({ phase: 'mine' })
      expect([...copies.report().failing.values()]).toMatchObject([{ code: 'COPY_NAME_TAKEN' }])
    }))

  it('H4: is of a copy that comes back with its namespace', () =>
    withGames(async ({ start, run, writer, quiet, status }) => {
      await start()
      for (const tenant of [null, 'x']) {
        await run(() => writer.patch(namespaces, { name: 't0' }, { metadata: { labels: { tenant } } }))
        await quiet()
      }
      expect(await status('t0')).toEqual(copied({ spec: { title: 'Chess' } }))
    }))
})
