import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const sources = configMaps.within({ labels: { source: 'yes' } })
const source = { metadata: { ...at('source'), labels: { source: 'yes' } } }
const spec = { title: 'Ours', secret: 'x', lives: 3 }

it.each([1, 2])('H6: settled waits for a repair that is put off, with %i applies of the object', parts =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply }) => {
        await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } })
        // Which is so: only the status is changed by others.
        if (parts > 1) await apply(games, { metadata: { name: 'made', labels: { part: 'other' } }, spec })
      })
    await client.create(configMaps, source)
    run()
    await operator.settled()
    for (let i = 0; i < 8; i++) {
      await client.status.patch(games, at('made'), { status: { phase: `theirs ${i}` } })
      await simulation.advance(2000)
    }
    await client.status.patch(games, at('made'), { status: { phase: 'theirs at last' } })
    await operator.settled({ timeoutMs: 600_000 })
    expect((await client.get(games, at('made')))?.status?.phase).toBe('On')
  }),
)

it('H6: settled does not resolve while parts of a reconcile undo each other', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply }) => {
        for (const title of ['a', 'b']) await apply(ours, { metadata: { name: 'made' }, data: { title } })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(60_000)
    await expect(operator.settled({ timeoutMs: 10_000 })).rejects.toMatchObject({ name: 'NotSettledError' })
  }))

it.each([
  ['data', { data: { title: 'theirs' } }],
  ['an annotation', { metadata: { annotations: { seen: 'yes' } } }],
])('C13: settled waits for what a reconcile that heeds no conflict tries again: others have changed %s', (_, theirs) =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false }).catch(() => {})
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    const match = { verb: 'update', resource: 'configmaps' } as const
    const fault = await server.faults.add({ match, effect: { kind: 'delay', ms: 300 } })
    await client.patch(games, at('chess'), { spec: { title: 'new' } })
    await sleep(simulation.clock, 100)
    await client.patch(configMaps, at('made'), theirs)
    await fault.remove()
    await operator.settled()
    expect((await client.get(configMaps, at('made')))?.data?.title).toBe('new')
  }),
)

it('C13: settled waits for a key that runs again soon, since what it made has changed before its status was written', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add({
      match: { verb: 'create', resource: 'games.arcade.example.com' },
      effect: { kind: 'delay', ms: 300 },
    })
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply }) => {
        await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }).catch(() => {})
      })
    await client.create(configMaps, source)
    run()
    while ((await client.get(games, at('made'))) === undefined) await sleep(simulation.clock, 10)
    // Another controller marks what it finds new.
    await client.patch(games, at('made'), { metadata: { annotations: { seen: 'yes' } } })
    await operator.settled()
    expect((await client.get(games, at('made')))?.status?.phase).toBe('On')
  }))

it.each([
  ['lost', { kind: 'drop' }],
  ['given up', { kind: 'hang' }],
  ['refused in passing (409)', { kind: 'status', code: 409, reason: 'Conflict' }],
] as const)('C13: settled waits for a write that is put off of a reconcile that heeds no failure: %s', (_, effect) =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    const match = { verb: 'update', resource: 'configmaps' } as const
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const given = new AbortController()
        const timer = simulation.clock.timer(50, () => given.abort(new Error('given up')))
        const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, signal: given.signal }).catch(() => {})
        timer.cancel()
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    const fault = await server.faults.add({ match, effect })
    for (let i = 0; i < 40; i++) {
      await client.patch(games, at('chess'), { spec: { title: `t${i}` } }).catch(() => {})
      await sleep(simulation.clock, 100)
    }
    await fault.remove()
    await client.patch(games, at('chess'), { spec: { title: 'at last' } })
    await operator.settled()
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'at last' })
  }),
)
