import { sleep } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseStatus } from './testkit/refusals.ts'

const at = (name: string) => ({ name, namespace: 'default' })

it('H6: server-side apply of what is there already goes once a second at each change of another manager', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us', force: true })
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.resetStats()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { beat: `${i}` } }, { fieldManager: 'other' })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    // 600 of them are theirs.
    expect(byVerb.patch?.configmaps?.requests).toBeLessThan(700)
  }))

it.each(['theirs', 'none'])(
  'a field that an apply has added whose onWrite threw is removed when it is not desired any more (others have fields: %s)',
  whose =>
    inArcade(async ({ client, operator, run, simulation }) => {
      let failing = false
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const extra = object.spec.title === 'extra' ? { extra: 'x' } : {}
          const desired = { metadata: { name: 'made' }, data: { title: 'a', ...extra } }
          const onWrite = (): void => {
            if (failing) throw new Error('the audit log is full')
          }
          await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us', onWrite })
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      if (whose === 'theirs') {
        await client.patch(configMaps, at('made'), { data: { beat: '1' } }, { fieldManager: 'other' })
        await operator.settled()
      }
      failing = true
      await client.patch(games, at('chess'), { spec: { title: 'extra' } })
      await simulation.advance(1)
      for (let i = 0; i < 50 && (await client.get(configMaps, at('made')))?.data?.extra === undefined; i++)
        await simulation.advance(1)
      expect((await client.get(configMaps, at('made')))?.data?.extra).toBe('x')
      await client.patch(games, at('chess'), { spec: { title: 'Chess' } })
      await simulation.advance(1000)
      failing = false
      await simulation.advance(600_000)
      expect((await client.get(configMaps, at('made')))?.data).not.toHaveProperty('extra')
    }),
)

it('a field of an apply whose status was refused is removed when it is not desired any more', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply, object }) => {
        const isNew = object.data?.want === 'new'
        const spec = { secret: 'x', ...(isNew && { title: 'extra' }) }
        const desired = { metadata: { name: 'made' }, spec, status: { phase: isNew ? 'Off' : 'On' } }
        await apply(games, desired, { owner: false, mode: 'apply', fieldManager: 'us' })
      })
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    run()
    await operator.settled()
    await client.patch(games, at('made'), { spec: { lives: 7 } }, { fieldManager: 'other' })
    await operator.settled()
    const fault = await server.faults.add(refuseStatus)
    await client.patch(configMaps, at('source'), { data: { want: 'new' } })
    await simulation.advance(5000)
    expect((await client.get(games, at('made')))?.spec.title).toBe('extra')
    await client.patch(configMaps, at('source'), { data: { want: 'old' } })
    await simulation.advance(5000)
    await fault.remove()
    await simulation.advance(600_000)
    expect((await client.get(games, at('made')))?.spec).toEqual({ secret: 'x', lives: 7 })
  }))

it('a field of an apply whose answer was lost is removed when it is not desired any more', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const extra = object.spec.title === 'extra' ? { extra: 'x' } : {}
        const desired = { metadata: { name: 'made' }, data: { title: 'a', ...extra } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us', timeoutMs: 1000 })
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await client.patch(configMaps, at('made'), { data: { beat: '1' } }, { fieldManager: 'other' })
    await operator.settled()
    const fault = await server.faults.add({
      match: { verb: 'patch', resource: 'configmaps' },
      effect: { kind: 'drop', after: true },
    })
    await client.patch(games, at('chess'), { spec: { title: 'extra' } })
    let wait = 0
    while ((await client.get(configMaps, at('made')))?.data?.extra === undefined && wait++ < 200)
      await simulation.advance(1)
    await client.patch(games, at('chess'), { spec: { title: 'Chess' } })
    await simulation.advance(20_000)
    await fault.remove()
    await simulation.advance(600_000)
    expect([wait < 200, (await client.get(configMaps, at('made')))?.data]).toEqual([true, { title: 'a', beat: '1' }])
  }))

it('an owner that somebody took from what is applied with others is set again', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(
          ours,
          { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } },
          { mode: 'apply', fieldManager: 'us' },
        )
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await client.patch(configMaps, at('made'), { data: { beat: '1' } }, { fieldManager: 'other' })
    await operator.settled()
    await client.patch(configMaps, at('made'), { metadata: { ownerReferences: null } } as never, {
      fieldManager: 'other',
    })
    await simulation.advance(5000)
    expect((await client.get(configMaps, at('made')))?.metadata?.ownerReferences).toHaveLength(1)
  }))

it.each([true, false])(
  'H6: server-side apply with force repairs a map that is atomic (nodeSelector), which somebody else has added to; with others’ additions before: %s',
  isMore =>
    inArcade(async ({ client, operator, run, simulation }) => {
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply }) => {
          const template = {
            metadata: { labels: { a: 'b' } },
            spec: { nodeSelector: { zone: 'a' }, containers: [{ name: 'c', image: 'i' }] },
          }
          await apply(
            deployments,
            { metadata: { name: 'made' }, spec: { selector: { matchLabels: { a: 'b' } }, template } } as never,
            { mode: 'apply', force: true, fieldManager: 'us' },
          )
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      if (isMore) {
        await client.patch(deployments, at('made'), { spec: { replicas: 2 } } as never, { fieldManager: 'hpa' })
        await simulation.advance(5000)
      }
      await client.patch(
        deployments,
        at('made'),
        { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } } as never,
        { fieldManager: 'kubectl-edit' },
      )
      await simulation.advance(600_000)
      const made = await client.get(deployments, at('made'))
      expect(made?.spec?.template.spec?.nodeSelector).toEqual({ zone: 'a' })
    }),
)
