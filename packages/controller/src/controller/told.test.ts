import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseUpdates } from './testkit/refusals.ts'
import { applyTitle, beat } from './testkit/titles.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it('X8: a refusal is told once, though somebody else makes the object as desired between', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { title: i % 2 === 0 ? 'Chess' : 'theirs' } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    const requests = byVerb.update?.configmaps?.requests ?? 0
    expect([requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 40),
      expect.toSatisfy(n => n < 40),
    ])
  }))

it('X8: a refusal is told once, though runs succeed between', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        runs += 1
        // Such as: waits for a lock, a rate limit, another object.
        if (runs % 2 === 0) return { requeueAfterMs: 50 }
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        return undefined
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await simulation.advance(120_000)
    const { byVerb } = await server.stats()
    const requests = byVerb.update?.configmaps?.requests ?? 0
    expect([runs, requests, simulation.environment.errors.length]).toEqual([
      expect.anything(),
      expect.anything(),
      expect.toSatisfy(n => n <= requests + 2),
    ])
  }))

it('X9: what fails after a refusal that was told, and names it as its cause, is told', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let fallback = ''
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch (cause) {
          if (fallback === '') throw cause
          throw new Error(fallback, { cause })
        }
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(100_000)
    fallback = 'and the finalizer could not be removed: disk full'
    for (let i = 0; i < 3; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `${i}` } } })
      await simulation.advance(1000)
    }
    expect(simulation.environment.errors.filter(({ error }) => error.message === fallback).length).toBeGreaterThan(0)
  }))

it.each<[string, () => unknown]>([
  [
    '200,000 errors',
    () =>
      new AggregateError(
        Array.from({ length: 200_000 }, (_, i) => i),
        'all',
      ),
  ],
  [
    'a cause that throws',
    () =>
      Object.defineProperty(new Error('x'), 'cause', {
        get: () => {
          throw new Error('no')
        },
      }),
  ],
])('X9: a key whose reconcile throws an error with %s runs again', (_, make) =>
  inArcade(async ({ client, operator, run, simulation }) => {
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(() => {
        runs += 1
        throw make()
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(2000)
    expect(runs).toBeGreaterThan(3)
  }),
)

it('of a key that fails for long few errors are kept', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    const refs: WeakRef<object>[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(() => {
        const held = { text: 'x'.repeat(1000) }
        refs.push(new WeakRef(held))
        throw Object.assign(new Error('the other API is down'), { response: held })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(60_000)
    ;(simulation.environment.errors as unknown[]).splice(0)
    for (let i = 0; i < 5; i++) {
      await new Promise(resolve => setImmediate(resolve))
      gc()
    }
    const alive = refs.filter(ref => ref.deref() !== undefined).length
    expect([refs.length > 12, alive]).toEqual([true, expect.toSatisfy(n => n <= 2)])
  }))

it('H8: what fails besides, and names a refusal as its cause, is told, however often that was in other words', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let fallback = ''
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        runs += 1
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch (cause) {
          throw new Error(fallback || `attempt ${runs} of ${object.metadata.name}`, { cause })
        }
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(100_000)
    for (let i = 0; i < 8; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `${i}` } } })
      await simulation.advance(100)
    }
    fallback = 'and the finalizer could not be removed: disk full'
    for (let i = 0; i < 3; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `f${i}` } } })
      await simulation.advance(1000)
    }
    expect(simulation.environment.errors.filter(({ error }) => error.message === fallback).length).toBeGreaterThan(0)
  }))

it('H8: what fails besides, and names a refusal as its cause, is told, where the text before is long', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let why = 'first'
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch (cause) {
          throw new Error(`${'the plan was: x '.repeat(200)} ${why}`, { cause })
        }
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(100_000)
    why = 'second'
    for (let i = 0; i < 3; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `f${i}` } } })
      await simulation.advance(1000)
    }
    expect(
      simulation.environment.errors.filter(({ error }) => error.message.endsWith('second')).length,
    ).toBeGreaterThan(0)
  }))

it('X9: a refusal whose text was cut in the middle of a character ends no worker', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add(refuseUpdates())
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch (cause) {
          throw new Error(`${object.spec.title} 🎲 was refused`.slice(0, 7), { cause })
        }
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(60_000)
    await fault.remove()
    await client.create(games, game('go'))
    await simulation.advance(600_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('X9: a refusal whose text the server cut in the middle of a character ends no worker', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'status', code: 403, reason: 'Forbidden', message: 'denied: \ud83c' },
    })
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(60_000)
    await fault.remove()
    await simulation.advance(600_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('H8: what conflicts for hours is told', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'status', code: 409, reason: 'Conflict' },
    })
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await beat({ client, simulation }, 360, 30_000)
    expect(simulation.environment.errors.length).toBeGreaterThan(0)
  }))
