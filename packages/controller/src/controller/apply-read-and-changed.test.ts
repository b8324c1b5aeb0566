import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseUpdates } from './testkit/refusals.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it('X8: what is there, changed and applied (read, modify, apply), and refused: not sent before its time', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates(403))
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, read, object }) => {
        const there = await read.peek(ours, { name: 'made' })
        const desired = {
          ...there,
          metadata: { ...there?.metadata, name: 'made' },
          data: { title: object.spec.title ?? '' },
        }
        await apply(ours, desired, { owner: false })
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect([byVerb.update?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 40),
      expect.toSatisfy(n => n < 40),
    ])
  }))

it('X8: what is read, changed and applied, and refused; the refusal caught and noted on the object: comes to rest', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates(403))
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, read, object, client: own }) => {
        runs += 1
        if (runs > 500) return
        const there = await read.peek(ours, { name: 'made' })
        const { annotations: _, ...metadata } = there?.metadata ?? {}
        const desired = { metadata: { ...metadata, name: 'made' }, data: { title: object.spec.title ?? '' } }
        try {
          await apply(ours, desired, { owner: false })
        } catch {
          await own.patch(configMaps, at('made'), { metadata: { annotations: { checked: `${runs}` } } })
        }
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await simulation.advance(60_000)
    const { byVerb } = await server.stats()
    expect([runs, byVerb.update?.configmaps?.requests]).toEqual([
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n < 60),
    ])
  }))

it('X8: ten refusals that are thrown on together are told of with backoff', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    const names = Array.from({ length: 10 }, (_, i) => `made-${i}`)
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const data = { title: object.spec.title ?? '' }
        const done = await Promise.allSettled(names.map(name => apply(ours, { metadata: { name }, data })))
        const errors = done.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
        if (errors.length > 0) throw new AggregateError(errors, 'not all was made')
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.faults.add(refuseUpdates(403))
    for (const name of names) await client.patch(configMaps, at(name), { data: { title: 'x' } })
    await simulation.advance(30_000)
    const before = simulation.environment.errors.length
    for (let i = 0; i < 300; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `${i}` } } })
      await sleep(simulation.clock, 100)
    }
    expect(simulation.environment.errors.length - before).toBeLessThan(40)
  }))

it('C16: refused with 500 by a webhook and caught: runs again when what it was refused for changes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add(refuseUpdates(500))
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const data = { title: object.spec.title ?? '' }
        await apply(ours, { metadata: { name: 'made' }, data }, { owner: false }).catch(() => {})
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(60_000)
    await fault.remove()
    await client.patch(configMaps, at('made'), { metadata: { annotations: { allowed: 'yes' } } })
    await simulation.advance(600_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('X9: an error with a long chain of causes: the key runs again', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(() => {
        runs += 1
        let error = new Error('first')
        for (let i = 0; i < 20_000; i++) error = new Error('again', { cause: error })
        throw error
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(10_000)
    expect(runs).toBeGreaterThan(3)
    expect(simulation.environment.errors.length).toBeGreaterThan(3)
  }))

it('X9: an AggregateError whose errors are none: the key runs again', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(() => {
        runs += 1
        throw Object.assign(new AggregateError([], 'x'), { errors: undefined })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(10_000)
    expect(runs).toBeGreaterThan(3)
  }))
