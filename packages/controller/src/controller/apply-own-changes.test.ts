import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { applyTitle } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const sources = configMaps.within({ labels: { source: 'yes' } })

it('H6: mode apply: what is desired changes each minute, while an autoscaler has a field that is not desired: no flapping', () =>
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
      // The autoscaler sets how many there are: no field of ours.
      await client.patch(games, at('made'), { spec: { lives: 3 + i } })
      await simulation.advance(30_000)
      await client.patch(configMaps, at('source'), { data: { title: `v${i}` } })
      await simulation.advance(500)
      const now = await client.get(games, at('made'))
      if (now?.spec.title !== `v${i}`) late.push(`v${i}: ${now?.spec.title}`)
      await simulation.advance(29_500)
    }
    expect([late, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
  }))

it('H6: an object that is made anew and then changed by its own controller each minute is no flapping', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object, read }) => {
        // Such as a Job that is made suspended, and let run then.
        const isThere = (await read.get(ours, { name: 'made' })) !== undefined
        await apply(ours, {
          metadata: { name: 'made' },
          data: { title: isThere ? (object.spec.title ?? '') : 'suspended' },
        })
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    const late: string[] = []
    for (let i = 1; i <= 12; i++) {
      // It is gone when it is done.
      await client.delete(configMaps, at('made'))
      await simulation.advance(1000)
      const now = (await client.get(configMaps, at('made')))?.data?.title
      if (now !== 'Chess') late.push(`${i}: ${now}`)
      await simulation.advance(59_000)
    }
    expect([late, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
  }))

it('H6: two keys apply one object that follows from both: no flapping', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .caches(games)
      .reconcile(async ({ apply, read }) => {
        const all = await read.list(games)
        const data = Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name ?? '', spec.title ?? '']))
        await apply(ours, { metadata: { name: 'all' }, data }, { owner: false })
      })
    await client.create(games, game('chess'))
    await client.create(games, game('go'))
    run()
    await operator.settled()
    const late: string[] = []
    for (let i = 1; i <= 80; i++) {
      const name = i % 2 === 0 ? 'chess' : 'go'
      await client.patch(games, at(name), { spec: { title: `v${i}` } })
      await simulation.advance(500)
      const now = (await client.get(configMaps, at('all')))?.data?.[name]
      if (now !== `v${i}`) late.push(`v${i}: ${now}`)
      await simulation.advance(19_500)
    }
    expect([late, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
  }))

it('H6: three changes of what is desired, then two by somebody else: those are repaired at once', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    applyTitle(operator)
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    for (let i = 1; i <= 3; i++) {
      await client.patch(games, at('chess'), { spec: { title: `v${i}` } })
      await simulation.advance(10_000)
    }
    const seen: unknown[] = []
    for (let i = 0; i < 2; i++) {
      await client.patch(configMaps, at('made'), { data: { title: 'theirs' } })
      await simulation.advance(500)
      seen.push((await client.get(configMaps, at('made')))?.data?.title)
    }
    expect([seen, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([['v3', 'v3'], []])
  }))

it('H6: parts of a reconcile that undo each other through two views of one object are told to be its own doing', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply }) => {
        const labels = { 'app.kubernetes.io/managed-by': 'game' }
        await apply(ours, { metadata: { name: 'made' }, data: { title: 'a' } }, { owner: false })
        await apply(configMaps, { metadata: { name: 'made', labels }, data: { title: 'b' } }, { owner: false })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(120_000)
    expect(simulation.environment.errors.map(({ error }) => error)).toEqual([
      expect.objectContaining({ name: 'FlappingError', by: 'itself' }),
    ])
  }))
