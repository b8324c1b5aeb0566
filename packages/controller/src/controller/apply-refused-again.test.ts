import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { TerminalError } from './errors.ts'
import { refuseStatus, refuseUpdates } from './testkit/refusals.ts'
import { applyTitle } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it('X8: two parts of a reconcile that apply one object and are both refused, and caught: not sent before their time', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { a: '1' } }, { owner: false }).catch(() => {})
        await apply(ours, { metadata: { name: 'made' }, data: { b: '1' } }, { owner: false }).catch(() => {})
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect(byVerb.update?.configmaps?.requests).toBeLessThan(40)
  }))

it('X8: a refused apply whose error is thrown on as the cause of another is told of with backoff', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
        } catch (cause) {
          throw new TerminalError('may not', { cause })
        }
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.faults.add(refuseUpdates())
    await server.resetStats()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    expect(simulation.environment.errors.length).toBeLessThan(40)
  }))

it('X6: an onWrite that is no function is refused before anything is written', () =>
  inArcade(async ({ client, server, operator, run }) => {
    const errors: unknown[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply }) => {
        const desired = { metadata: { name: 'made' }, data: { a: '1' } }
        await apply(ours, desired, { onWrite: 'x' as never }).catch(error => errors.push(error.code ?? error.message))
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await operator.settled()
    const { byVerb } = await server.stats()
    expect([errors[0], byVerb.create?.configmaps?.requests ?? 0]).toEqual(['INVALID_OPTION', 0])
  }))

it('H6, C16: what may be written is repaired at once, where only the status is refused, however long that is', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add(refuseStatus)
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply }) => {
        const spec = { title: 'Ours', secret: 'x', lives: 3 }
        await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } })
      })
    run()
    // The operator may not write the status for some minutes. Then, once, somebody else edits the spec.
    await simulation.advance(200_000)
    await client.patch(games, at('made'), { spec: { title: 'Theirs' } })
    await simulation.advance(20_000)
    expect((await client.get(games, at('made')))?.spec.title).toBe('Ours')
  }))

it('X8: an AlreadyExists of what the informer has not heard of yet is tried again with backoff', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .caches(configMaps)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
      })
    run()
    await operator.settled()
    // The informer's watch can not be opened for a while.
    const fault = await server.faults.add({
      match: { verb: 'watch', resource: 'configmaps' },
      effect: { kind: 'status', code: 503 },
    })
    await server.endWatches('configmaps')
    await sleep(simulation.clock, 1000)
    // Somebody else makes one that is not of the view.
    await client.create(configMaps, { metadata: at('made'), data: { title: 'theirs' } })
    await server.resetStats()
    await client.create(games, game('chess'))
    await sleep(simulation.clock, 5000)
    const { byVerb } = await server.stats()
    await fault.remove()
    expect([
      byVerb.create?.configmaps?.requests,
      simulation.environment.errors.filter(({ error }) => /already exists/i.test(error.message)).length,
    ]).toEqual([expect.toSatisfy(n => n < 60), expect.toSatisfy(n => n < 60)])
  }))

it('X8: an AlreadyExists that a webhook answers is tried again with backoff', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    applyTitle(operator)
    run()
    await operator.settled()
    await server.faults.add({
      match: { verb: 'create', resource: 'configmaps' },
      effect: { kind: 'status', code: 409, reason: 'AlreadyExists', message: 'host is taken: already exists' },
    })
    await server.resetStats()
    await client.create(games, game('chess'))
    await sleep(simulation.clock, 5000)
    const { byVerb } = await server.stats()
    expect(byVerb.create?.configmaps?.requests).toBeLessThan(60)
  }))

it('C16: refused, as a webhook does for a label of the object, and caught: the key runs when that label goes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, {
      metadata: { ...at('made'), labels: { ...labels, locked: 'yes' } },
      data: { title: 'a' },
    })
    const fault = await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'status', code: 403, reason: 'Forbidden', message: 'it is locked' },
    })
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
    await fault.remove()
    await client.patch(configMaps, at('made'), { metadata: { labels: { locked: null } } } as never)
    await simulation.advance(3_600_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('C16: refused for the field of another manager, then asked for with force: is another request, and sent at once', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    const theirs = { metadata: { ...at('made'), labels }, data: { title: 'theirs' } }
    await client.apply(configMaps, theirs, { fieldManager: 'other' })
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const force = object.metadata.annotations?.force === 'yes'
        const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us', force })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    // The user takes what the message advises.
    await client.patch(games, at('chess'), { metadata: { annotations: { force: 'yes' } } })
    await simulation.advance(5000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))

it('H8: an error of a part that is told once is not told at each run, where another part is refused too', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    for (const name of ['a', 'b'])
      await client.create(configMaps, { metadata: { ...at(name), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        runs += 1
        const data = { title: object.spec.title ?? '' }
        await Promise.all(['a', 'b'].map(name => apply(ours, { metadata: { name }, data }, { owner: false })))
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await simulation.advance(600_000)
    const { byVerb } = await server.stats()
    const requests = byVerb.update?.configmaps?.requests ?? 0
    expect([runs, requests, simulation.environment.errors.length]).toEqual([
      expect.anything(),
      expect.toSatisfy(n => n < 40),
      expect.toSatisfy(n => n <= requests),
    ])
  }))
