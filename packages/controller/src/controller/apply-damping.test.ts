import { sleep } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseStatus, refuseUpdates } from './testkit/refusals.ts'
import { applyTitle } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }
const sources = configMaps.within({ labels: { source: 'yes' } })

it('H6: mode apply: keys that each have a field of one object, and change it in the same minute: no flapping', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const name = object.metadata.name ?? ''
        const desired = { metadata: { name: 'all' }, data: { [name]: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: `game-${name}`, force: true })
      })
    const names = ['chess', 'go', 'shogi']
    for (const name of names) await client.create(games, game(name))
    run()
    await operator.settled()
    const late: string[] = []
    for (let i = 1; i <= 12; i++) {
      for (const name of names) await client.patch(games, at(name), { spec: { title: `v${i}` } })
      await simulation.advance(5000)
      const now = (await client.get(configMaps, at('all')))?.data ?? {}
      for (const name of names) if (now[name] !== `v${i}`) late.push(`${i} ${name}: ${now[name]}`)
      await simulation.advance(55_000)
    }
    expect([late, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
  }))

it('H6: mode apply: an autoscaler changes a field that is not desired in the moment in which something else is desired: no flapping', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } }, data: { title: 'v0' } })
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply, object }) => {
        const desired = { metadata: { name: 'made' }, spec: { title: object.data?.title ?? '', secret: 'x' } }
        await apply(games, desired, { mode: 'apply', force: true, fieldManager: 'us' })
      })
    run()
    await operator.settled()
    const late: string[] = []
    for (let i = 1; i <= 12; i++) {
      await Promise.all([
        client.patch(games, at('made'), { spec: { lives: 3 + i } }),
        client.patch(configMaps, at('source'), { data: { title: `v${i}` } }),
      ])
      await simulation.advance(5000)
      const now = await client.get(games, at('made'))
      if (now?.spec.title !== `v${i}`) late.push(`v${i}: ${now?.spec.title}`)
      await simulation.advance(55_000)
    }
    expect([late, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
  }))

it('H6, C16: a spec is repaired at once, where only the status is refused, however long', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add(refuseStatus)
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply }) => {
        const spec = { title: 'Ours', secret: 'x', lives: 3 }
        await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } })
      })
    run()
    await simulation.advance(200_000)
    await client.patch(games, at('made'), { spec: { title: 'Theirs' } })
    await simulation.advance(20_000)
    expect((await client.get(games, at('made')))?.spec.title).toBe('Ours')
  }))

it('X8: refusals that are thrown on together, as an AggregateError, are told of with backoff', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const data = { title: object.spec.title ?? '' }
        const done = await Promise.allSettled(['made', 'other'].map(name => apply(ours, { metadata: { name }, data })))
        const errors = done.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
        if (errors.length > 0) throw new AggregateError(errors, 'not all was made')
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.faults.add(refuseUpdates())
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    expect(simulation.environment.errors.length).toBeLessThan(40)
  }))

it('C16: refused for a finalizer, then desired without: is another request, and sent at once', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add(refuseUpdates())
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const isLocked = object.metadata.annotations?.free !== 'yes'
        const metadata = { name: 'made', ...(isLocked && { finalizers: ['example.com/lock'] }) }
        await apply(ours, { metadata, data: { title: object.spec.title ?? '' } }, { owner: false })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    await fault.remove()
    await client.patch(games, at('chess'), { metadata: { annotations: { free: 'yes' } } })
    await simulation.advance(5000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('C16: refused for blockOwnerDeletion, then desired without: is another request, and sent at once', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add(refuseUpdates())
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const blockOwnerDeletion = object.metadata.annotations?.free !== 'yes'
        await apply(
          ours,
          { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } },
          { owner: { blockOwnerDeletion } },
        )
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    await fault.remove()
    await client.patch(games, at('chess'), { metadata: { annotations: { free: 'yes' } } })
    await simulation.advance(5000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('settled waits for a repair that is put off', () =>
  inArcade(async ({ client, operator, run }) => {
    applyTitle(operator)
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    const made = { name: 'made', namespace: 'default' }
    const seen: unknown[] = []
    for (let i = 0; i < 6; i++) {
      await client.patch(configMaps, made, { data: { title: `${i}` } })
      await operator.settled()
      seen.push((await client.get(configMaps, made))?.data?.title)
    }
    expect(seen).toEqual(Array(6).fill('Chess'))
    await client.patch(configMaps, made, { data: { title: 'theirs' } })
    await expect(operator.settled({ timeoutMs: 5000 })).rejects.toThrow(
      'game: default/chess waits to repair default/made',
    )
  }))

it('settled() waits for a repair that is put off, also where another object of that name is well', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
        await apply(secrets, { metadata: { name: 'made' }, data: { phase: btoa(object.status?.phase ?? '') } })
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await client.status.patch(games, at('chess'), { status: { phase: 'x' } })
    await operator.settled()
    for (let i = 0; i < 9; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `theirs ${i}` } })
      await sleep(simulation.clock, 300)
    }
    await operator.settled()
    const { data } = (await client.get(configMaps, at('made'))) ?? {}
    expect(data).toEqual({ title: 'Chess' })
  }))
