import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Game, games } from '../apply/games.fixture.ts'
import { parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { type Kit, type Made, withCopies } from './testkit/cluster.ts'
import { at, fillGames } from './testkit/games.ts'
import { hooked, hooks } from './testkit/hooks.ts'

const content = parts({ spec: specPart(), status: statusPart })

/** Copies without what the server defaults (`lives`), with what it prunes, which an apply may not send, and with a status. */
const arcade = (write: 'update' | 'apply'): Made<Game, Game> => ({
  name: 'arcade',
  source: games.within({ namespaces: ['shared'] }),
  copies: games,
  targets: 'tenant',
  build: ({ spec }) => {
    const pruned = write === 'update' ? { pruned: 'x' } : {}
    return {
      spec: { title: spec?.title ?? '', players: spec?.players ?? 0, ...pruned },
      status: { phase: 'Copied', ...pruned },
    }
  },
  parts: content,
  write,
})

/** The same, of the object alone. */
const withoutStatus = (write: 'update' | 'apply'): Made<Game, Game> => ({
  ...arcade(write),
  parts: parts({ spec: specPart() }),
})

const writes = (requests: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(requests).filter(([what]) => !/^(list|get)/.test(what)))

describe.each(['update', 'apply'] as const)('what the server makes of a copy, written by %s', write => {
  const repair = write === 'update' ? 'update' : 'patch'
  const made = write === 'update' ? 'create' : 'patch'
  const name = 'games.arcade.example.com'

  it('H6: is learned from what it answers: two writes a copy, and then none', () =>
    withCopies(async kit => {
      await fillGames(kit, 4)
      const reconciler = kit.make(arcade(write))
      reconciler.start()
      await kit.run(() => reconciler.settled())
      await kit.quiet()
      // the status is a patch in either mode
      const first = write === 'update' ? { [`create ${name}`]: 4, [`patch ${name}`]: 4 } : { [`patch ${name}`]: 8 }
      expect(writes(await kit.requests())).toEqual(first)
      const { skipped } = reconciler.report()
      reconciler.resync()
      await kit.run(() => reconciler.settled())
      expect(await kit.requests()).toEqual({})
      expect(reconciler.report().skipped).toBeGreaterThanOrEqual(skipped + 4)
      expect(await kit.run(() => kit.writer.get(games, at('t1')))).toMatchObject({
        spec: { title: 'Chess', players: 2, lives: 3 },
        status: { phase: 'Copied' },
      })
      expect(reconciler.report()).toMatchObject({ dryRuns: 0, repairs: 0 })

      await kit.run(() => kit.writer.patch(games, at('t1'), { spec: { lives: 9 } }))
      await kit.quiet()
      expect(writes(await kit.requests())).toEqual(
        write === 'update' ? { [`patch ${name}`]: 1, [`update ${name}`]: 1 } : { [`patch ${name}`]: 2 },
      )
      // An apply has no opinion on a field that it does not send.
      const lives = (await kit.run(() => kit.writer.get(games, at('t1'))))?.spec?.lives
      expect(lives).toBe(write === 'update' ? 3 : 9)
    }))

  it('H3: a status that was edited by hand is repaired with one write of the status', () =>
    withCopies(async kit => {
      await fillGames(kit, 2)
      const reconciler = kit.make(arcade(write))
      reconciler.start()
      await kit.run(() => reconciler.settled())
      await kit.quiet()
      await kit.requests()
      await kit.run(() => kit.writer.status.patch(games, at('t1'), { status: { phase: 'Edited' } }))
      await kit.quiet()
      expect(writes(await kit.requests())).toEqual({ [`patch ${name}`]: 2 })
      expect((await kit.run(() => kit.writer.get(games, at('t1'))))?.status).toEqual({ phase: 'Copied' })
    }))

  it('H6, X10: is learned after a restart by one dry run, and nothing is written', () =>
    withCopies(async kit => {
      await fillGames(kit, 6)
      const before = kit.make(withoutStatus(write))
      before.start()
      await kit.run(() => before.settled())
      await kit.run(() => before.close())
      const versions = async () =>
        (await kit.run(() => kit.writer.list(games))).items.map(({ metadata }) => metadata?.resourceVersion)
      const there = await versions()
      await kit.requests()
      const after = kit.make(withoutStatus(write))
      after.start()
      await kit.run(() => after.settled())
      await kit.quiet()
      expect(writes(await kit.requests())).toEqual({ [`${repair} ${name}`]: 1 })
      expect(after.report()).toMatchObject({ dryRuns: 1, writes: { create: 0, update: 0, apply: 0, status: 0 } })
      expect(await versions()).toEqual(there)

      await kit.run(() => after.close())
      await kit.run(() => kit.writer.delete(games, at('t3')))
      await kit.run(() => kit.writer.patch(games, at('t4'), { spec: { players: 7 } }))
      await kit.requests()
      const again = kit.make(withoutStatus(write))
      again.start()
      await kit.run(() => again.settled())
      expect(again.report().dryRuns).toBeLessThanOrEqual(1)
      const done = writes(await kit.requests())
      expect(
        (done[`${made} ${name}`] ?? 0) + (repair === made ? 0 : (done[`${repair} ${name}`] ?? 0)),
      ).toBeLessThanOrEqual(3)
      expect((await kit.run(() => kit.writer.list(games))).items.map(({ spec }) => spec?.players)).toEqual(
        Array(7).fill(2),
      )
    }))
})

describe('webhooks', () => {
  const configure = (kit: Kit) =>
    kit.run(() => kit.writer.create(mutatingWebhookConfigurations, hooked('configmaps', { tenant: 'x' }) as never))

  it('H6: what they change, even otherwise in each namespace, is written once, and learned again after a restart', () =>
    withCopies(
      async kit => {
        await kit.fill(2, 4)
        await configure(kit)
        await kit.requests()
        const first = await kit.settled()
        expect(writes(await kit.requests())).toEqual({ 'create configmaps': 8 })
        first.resync()
        await kit.run(() => first.settled())
        expect(await kit.requests()).toEqual({})
        await kit.run(() => first.close())
        const second = await kit.settled()
        // one dry run for each source; the others' own changes are told by writes that the server drops
        expect(second.report()).toMatchObject({ dryRuns: 2, writes: { update: 6, create: 0 } })
        await kit.requests()
        second.resync()
        await kit.run(() => second.settled())
        expect(await kit.requests()).toEqual({})
      },
      { webhooks: hooks(namespace => namespace) },
    ))

  it('H6: what they change alike costs one dry run a source after a restart, and no write', () =>
    withCopies(
      async kit => {
        await kit.fill(3, 5)
        await configure(kit)
        const first = await kit.settled()
        await kit.run(() => first.close())
        await kit.requests()
        const second = await kit.settled()
        expect(second.report()).toMatchObject({ dryRuns: 3, writes: { update: 0, create: 0 } })
        expect(writes(await kit.requests())).toEqual({ 'update configmaps': 3 })
      },
      { webhooks: hooks(() => 'x') },
    ))

  it('H6: those that refuse dry runs are learned from one write of each copy', () =>
    withCopies(
      async kit => {
        await kit.fill(1, 3)
        await configure(kit)
        const first = await kit.settled()
        await kit.run(() => first.close())
        const second = await kit.settled()
        expect(second.report()).toMatchObject({ dryRuns: 1, writes: { update: 3 }, failures: 0 })
        second.resync()
        await kit.run(() => second.settled())
        await kit.quiet()
        await kit.requests()
        second.resync()
        await kit.run(() => second.settled())
        expect(await kit.requests()).toEqual({})
        expect(
          (await kit.run(() => kit.writer.list(configMaps))).items.filter(({ data }) => data?.hooked === 'y'),
        ).toHaveLength(3)
      },
      { webhooks: hooks(() => 'y', true) },
    ))
})
