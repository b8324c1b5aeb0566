import { sleep } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const sources = configMaps.within({ labels: { source: 'yes' } })

it.each([
  ['is refused for long', 300_000],
  ['is refused for the first time', 0],
])('C12, C16: of two objects that are applied together, of which one %s, the other is repaired each time', (_, ms) =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(games, { metadata: at('made'), spec: { title: 'x', secret: 'x', lives: 3 } })
    await server.faults.add({
      match: { verb: 'update', resource: 'games.arcade.example.com' },
      effect: { kind: 'status', code: 422, reason: 'Invalid' },
    })
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply }) => {
        const spec = { title: 'Ours', secret: 'x', lives: 3 }
        await Promise.all([
          apply(games, { metadata: { name: 'made' }, spec }, { owner: false }),
          apply(ours, { metadata: { name: 'made' }, data: { title: 'Ours' } }, { owner: false }),
        ])
      })
    run()
    await simulation.advance(1000 + ms)
    const late: unknown[] = []
    for (let i = 0; i < 3; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `theirs ${i}` } })
      await simulation.advance(20_000)
      late.push((await client.get(configMaps, at('made')))?.data?.title)
    }
    await simulation.advance(310_000)
    late.push((await client.get(configMaps, at('made')))?.data?.title)
    expect(late).toEqual(['Ours', 'Ours', 'Ours', 'Ours'])
  }),
)

it.each([1, 2])(
  'H6: a status that somebody else changes again and again is repaired ever later, with %i applies of the object',
  ways =>
    inArcade(async ({ client, operator, run, simulation }) => {
      let written = 0
      operator
        .controller('source')
        .for(sources)
        .reconcile(async ({ apply }) => {
          const spec = { title: 'Ours', secret: 'x', lives: 3 }
          const onWrite = (): void => {
            written += 1
          }
          await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }, { onWrite })
          // Another part of the reconcile says what it has to of the same object; that is so.
          if (ways > 1) await apply(games, { metadata: { name: 'made', labels: { a: 'b' } }, spec }, { onWrite })
        })
      await client.create(configMaps, { metadata: { ...at('s'), labels: { source: 'yes' } } })
      run()
      await operator.settled()
      written = 0
      for (let i = 0; i < 600; i++) {
        await client.status.patch(games, at('made'), { status: { phase: `theirs ${i}` } })
        await sleep(simulation.clock, 100)
        await client.patch(configMaps, at('s'), { metadata: { annotations: { at: `${i}` } } })
        await sleep(simulation.clock, 100)
      }
      expect([written, simulation.environment.errors.map(({ error }) => (error as { by?: string }).by)]).toEqual([
        expect.toSatisfy(n => n < 30),
        ['others'],
      ])
    }),
)

it('C2: a reconcile that has thrown is told and tried again, though who hears of a write of it never answers', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    let runs = 0
    operator
      .controller('game', { reconcileTimeoutMs: 1000 } as never)
      .for(games)
      .reconcile(({ apply }) => {
        runs += 1
        const onWrite = (): Promise<void> => new Promise(() => {})
        void apply(ours, { metadata: { name: 'made' }, data: { title: `${runs}` } }, { onWrite })
        return sleep(simulation.clock, 500).then(() => {
          throw new Error('the other API is down')
        })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(600_000)
    expect([runs, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([
      expect.toSatisfy(n => n > 1),
      expect.arrayContaining(['the other API is down']),
    ])
  }))

it('H8: what a reconcile throws is told, and others run, though a request of what it applies beside is not answered', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add({ match: { verb: 'create', resource: 'secrets' }, effect: { kind: 'hang' } })
    const ran: string[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const name = object.metadata.name ?? ''
        ran.push(name)
        if (name === 'other') return
        await Promise.all([
          apply(secrets, { metadata: { name: 'made' } }),
          sleep(simulation.clock, 10).then(() => Promise.reject(new Error('the other API is down'))),
        ])
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(1000)
    await client.create(games, game('other'))
    await simulation.advance(20_000)
    const said = simulation.environment.errors.map(({ error }) => error.message)
    expect([ran.filter(name => name === 'chess').length, ran.includes('other'), said]).toEqual([
      expect.toSatisfy(n => n > 1),
      true,
      expect.arrayContaining(['the other API is down']),
    ])
  }))

it('a run that failed in time is not told to have taken too long, since it waits for what it applies', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add({ match: { verb: 'create', resource: 'configmaps' }, effect: { kind: 'delay', ms: 5000 } })
    operator
      .controller('game', { reconcileTimeoutMs: 600 } as never)
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await Promise.all([
          apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false }),
          sleep(simulation.clock, 100).then(() => {
            throw new Error('quick')
          }),
        ])
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(3000)
    const told = simulation.environment.errors.map(({ error }) => error.name)
    expect(told).not.toContain('ReconcileTimeoutError')
  }))
