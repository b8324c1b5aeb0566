import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseUpdates } from './testkit/refusals.ts'
import { applyTitle } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it('X9: what is thrown together with a refusal that was told, as its cause, is told', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let cause: Error | undefined
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const [one] = await Promise.allSettled([
          apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false }),
        ])
        if (one.status === 'rejected') throw new AggregateError([one.reason], 'not all', cause && { cause })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(100_000)
    cause = new Error('disk full')
    for (let i = 0; i < 5; i++) {
      await client.patch(games, at('chess'), { metadata: { annotations: { at: `${i}` } } })
      await simulation.advance(1000)
    }
    expect(simulation.environment.errors.filter(({ error }) => error.cause === cause).length).toBeGreaterThan(0)
  }))

it('X8: read, modify, apply of an object with a status heartbeat, refused: not sent before its time', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(games, { ...game('made'), metadata: { ...at('made') } })
    await server.faults.add({
      match: { verb: 'update', resource: 'games.arcade.example.com' },
      effect: { kind: 'status', code: 422, reason: 'Invalid' },
    })
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply, read }) => {
        const there = await read.get(games, { name: 'made' })
        if (there === undefined) return
        const { status: _, ...rest } = there
        await apply(games, { ...rest, spec: { ...there.spec, title: 'Ours' } }, { owner: false })
      })
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.status.patch(games, at('made'), { status: { phase: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect(byVerb.update?.['games.arcade.example.com']?.requests).toBeLessThan(40)
  }))

it('C16: refused with 500 by a webhook for an hour, and thrown on: runs again when what it was refused for changes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'status', code: 500, reason: 'InternalError' },
    })
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(3_600_000)
    await fault.remove()
    await client.patch(configMaps, at('made'), { metadata: { annotations: { allowed: 'yes' } } })
    await simulation.advance(60_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))
