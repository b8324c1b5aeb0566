import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseCreates, refuseStatus, refuseUpdates } from './testkit/refusals.ts'
import { applyTitle, beat } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

/** Seconds until it holds. */
async function late({ simulation }: Arcade, is: () => Promise<boolean>, most = 900): Promise<number> {
  for (let s = 0; s < most; s++) {
    if (await is()) return s
    await sleep(simulation.clock, 1000)
  }
  return most
}

it.each(['corrected', 'deleted'])('X8: an update refused overnight as invalid goes soon when it is %s', how =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const fault = await server.faults.add(refuseUpdates())
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    // 4 h, the primary has a heartbeat each minute
    await beat({ client, simulation }, 240, 60_000)
    // Just after a refusal.
    const of = async () => (await server.stats()).byVerb.update?.configmaps?.requests ?? 0
    const before = await of()
    while ((await of()) === before) await sleep(simulation.clock, 1000)
    // What is desired now is fine, or the object was in the way
    await fault.remove()
    if (how === 'deleted') await client.delete(configMaps, at('made'))
    else await client.patch(games, at('chess'), { spec: { title: 'Right' } })
    const want = how === 'deleted' ? 'Chess' : 'Right'
    const s = await late(arcade, async () => (await client.get(configMaps, at('made')))?.data?.title === want)
    expect(s).toBeLessThan(30)
  }),
)

it('C16: what another object controlled overnight is taken soon when that lets go', () =>
  inArcade(async arcade => {
    const { client, operator, run, simulation } = arcade
    const { metadata } = await client.create(configMaps, { metadata: at('o') })
    const uid = metadata?.uid ?? ''
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid, controller: true }]
    await client.create(configMaps, { metadata: { ...at('made'), labels, ownerReferences }, data: { title: 'a' } })
    applyTitle(operator)
    await client.create(games, game('chess'))
    run()
    const told = () => simulation.environment.errors.length
    await beat({ client, simulation }, 240, 60_000)
    const before = told()
    while (told() === before) await sleep(simulation.clock, 1000)
    await client.patch(configMaps, at('made'), { metadata: { ownerReferences: null } } as never)
    const s = await late(arcade, async () => (await client.get(configMaps, at('made')))?.data?.title === 'Chess')
    expect(s).toBeLessThan(30)
  }))

it('X8: an object that is created in vain, and is made by somebody else otherwise, is repaired soon', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    const fault = await server.faults.add(refuseCreates('quota'))
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await beat({ client, simulation }, 360, 10_000)
    const of = async () => (await server.stats()).byVerb.create?.configmaps?.requests ?? 0
    const before = await of()
    while ((await of()) === before) await sleep(simulation.clock, 1000)
    await fault.remove()
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'by hand' } })
    const s = await late(arcade, async () => (await client.get(configMaps, at('made')))?.data?.title === 'Chess')
    expect(s).toBeLessThan(30)
  }))

it('X8: a reconcile that looks each 10 s makes what was refused for an hour soon when it is allowed', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    const fault = await server.faults.add({
      match: { verb: 'create', resource: 'configmaps' },
      effect: { kind: 'status', code: 404, reason: 'NotFound', message: 'namespaces "default" not found' },
    })
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch {
          return { requeueAfterMs: 10_000 }
        }
        return
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(3_600_000)
    const of = async () => (await server.stats()).byVerb.create?.configmaps?.requests ?? 0
    const before = await of()
    while ((await of()) === before) await sleep(simulation.clock, 1000)
    await fault.remove()
    const s = await late(arcade, async () => (await client.get(configMaps, at('made')))?.data?.title === 'Chess')
    expect(s).toBeLessThan(60)
  }))

it('X8: of two replicas that both work the slower one does the work soon when the other ends', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    const second = new Operator({ name: 'other', client })
    const stop = new AbortController()
    for (const one of [operator, second]) {
      one
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          if (one === operator) await sleep(simulation.clock, 5)
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        })
    }
    await client.create(games, game('chess'))
    run()
    const running = second.run({ signal: stop.signal, signals: false }).catch(() => {})
    // The watch of the first is late by a bit
    const fault = await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'delay', ms: 20 },
    })
    for (let i = 0; i < 45; i++) {
      await client.patch(games, at('chess'), { spec: { title: `t${i}` } })
      await sleep(simulation.clock, 60_000)
    }
    await fault.remove()
    stop.abort(new Error('x'))
    await running
    await second.close()
    await client.patch(games, at('chess'), { spec: { title: 'last' } })
    const s = await late(arcade, async () => (await client.get(configMaps, at('made')))?.data?.title === 'last')
    expect(s).toBeLessThan(30)
  }))

it('X8: where the status is refused for ever the spec is written soon', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    await server.faults.add(refuseStatus)
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply, object }) => {
        const spec = { secret: 'x', title: object.data?.n ?? '', lives: 3 }
        await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }, { owner: false })
      })
    run()
    const lates: number[] = []
    for (let i = 0; i < 60; i++) {
      await client.patch(configMaps, at('source'), { data: { n: `${i}` } })
      lates.push(await late(arcade, async () => (await client.get(games, at('made')))?.spec.title === `${i}`))
      await sleep(simulation.clock, 60_000)
    }
    expect(Math.max(...lates)).toBeLessThan(30)
  }))
