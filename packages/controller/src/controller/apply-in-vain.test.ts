import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseCreates, refuseUpdates } from './testkit/refusals.ts'
import { applyTitle, beat } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it.each([0, 15, 60])(
  'X8: what conflicts each time is asked for with backoff when nothing changes any more, after %i changes',
  changes =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add({
        match: { verb: 'update', resource: 'configmaps' },
        effect: { kind: 'status', code: 409, reason: 'Conflict' },
      })
      applyTitle(operator, { owner: false })
      await client.create(games, game('chess'))
      run()
      await beat({ client, simulation }, changes, 100)
      await simulation.advance(60_000)
      await server.resetStats()
      await simulation.advance(3_600_000)
      const { byVerb } = await server.stats()
      expect(byVerb.update?.configmaps?.requests ?? 0).toBeLessThan(100)
    }),
)

it.each([0, 60])(
  'X8: what says when it was made and is refused each time is asked for and told with backoff when nothing changes any more, after %i changes',
  changes =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await server.faults.add(refuseCreates('quota'))
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply }) => {
          await apply(ours, { metadata: { name: 'made' }, data: { at: `${simulation.clock.now()}` } })
        })
      await client.create(games, game('chess'))
      run()
      await beat({ client, simulation }, changes, 100)
      await simulation.advance(60_000)
      await server.resetStats()
      const before = simulation.environment.errors.length
      await simulation.advance(3_600_000)
      const { byVerb } = await server.stats()
      const told = simulation.environment.errors.length - before
      expect([byVerb.create?.configmaps?.requests ?? 0, told]).toEqual([
        expect.toSatisfy(n => n < 100),
        expect.toSatisfy(n => n < 100),
      ])
    }),
)

it('C16: an apply of what is refused each time does not resolve', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    const seen: Record<string, number> = {}
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const data = { title: object.status?.phase ?? '' }
        const came = await apply(ours, { metadata: { name: 'made' }, data }, { owner: false }).then(
          () => 'resolved',
          error => error.reason,
        )
        seen[came] = (seen[came] ?? 0) + 1
      })
    await client.create(games, game('chess'))
    run()
    await beat({ client, simulation }, 600, 100)
    expect(seen).toEqual({ Forbidden: expect.anything() })
  }))

it('X8: of an object that one part of the reconcile writes well what another part is refused is not sent and told each time', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply, object }) => {
        // A part says how it is, another what it is to be, which is not valid.
        await apply(
          games,
          { metadata: { name: 'made' }, spec: { secret: 'x' }, status: { phase: object.data?.n ?? '' } },
          { owner: false },
        )
        await apply(games, { metadata: { name: 'made' }, spec: { secret: 'x', lives: 'many' } } as never, {
          owner: false,
        })
      })
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    await server.resetStats()
    run()
    for (let i = 0; i < 200; i++) {
      await client.patch(configMaps, at('source'), { data: { n: `${i}` } })
      await sleep(simulation.clock, 3000)
    }
    const { byVerb } = await server.stats()
    expect([byVerb.update?.['games.arcade.example.com']?.requests, simulation.environment.errors.length]).toEqual([
      // 200 of the part that goes well.
      expect.toSatisfy(n => n < 240),
      expect.toSatisfy(n => n < 30),
    ])
  }))

it('H6: what changes nothing and whose onWrite throws goes once a second', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    let failing = false
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const onWrite = (): void => {
          if (failing) throw new Error('audit log')
        }
        await apply(
          ours,
          { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } },
          { owner: false, mode: 'apply', fieldManager: 'us', onWrite },
        )
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await client.patch(configMaps, at('made'), { data: { beat: '1' } }, { fieldManager: 'other' })
    failing = true
    await client.patch(games, at('chess'), { spec: { title: 'New' } })
    await server.resetStats()
    await beat({ client, simulation }, 600, 100)
    const { byVerb } = await server.stats()
    expect(byVerb.patch?.configmaps?.requests).toBeLessThan(120)
  }))

it('H6: what the server drops of what is desired goes once a second', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply, object }) => {
        const spec = { secret: 'x', title: 'x', lives: 3, junk: object.data?.n }
        await apply(games, { metadata: { name: 'made' }, spec }, { owner: false })
      })
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } }, data: { n: '' } })
    run()
    await operator.settled()
    await server.resetStats()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('source'), { data: { n: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect(byVerb.update?.['games.arcade.example.com']?.requests).toBeLessThan(120)
  }))

it('X8: a refusal of what may not be watched is told with backoff, however often the primary changes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add({
      match: { verb: 'watch', resource: 'configmaps' },
      effect: { kind: 'status', code: 403, reason: 'Forbidden' },
    })
    await server.faults.add(refuseCreates('quota'))
    applyTitle(operator)
    await client.create(games, game('chess'))
    run()
    await beat({ client, simulation }, 600, 100)
    expect(simulation.environment.errors.length).toBeLessThan(120)
  }))
