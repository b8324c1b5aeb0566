import { isForbidden, sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'
import { applyDesired } from './apply.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

const unnoted = {
  learned: () => new Map(),
  applies: () => {},
  delayMs: () => 0,
  putOff: () => {},
  wrote: () => {},
}

describe('an apply that is refused', () => {
  it('X8: is tried again with backoff, however often somebody else changes the object', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add({
        match: { verb: 'update', resource: 'configmaps' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden' },
      })
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
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
        expect.toSatisfy(requests => requests < 40),
        expect.toSatisfy(errors => errors < 40),
      ])
    }))

  it('X8: where another controls the object, its changes make the key run not more often than backoff does', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      const { metadata } = await client.create(configMaps, { metadata: at('rival') })
      const rival = { apiVersion: 'v1', kind: 'ConfigMap', name: 'rival', uid: metadata?.uid ?? '', controller: true }
      await client.create(configMaps, { metadata: { ...at('made'), labels, ownerReferences: [rival] } })
      let runs = 0
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          runs += 1
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
        })
      await client.create(games, game('chess'))
      run()
      for (let i = 0; i < 600; i++) {
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await sleep(simulation.clock, 100)
      }
      expect([runs, simulation.environment.errors.length]).toEqual([
        expect.toSatisfy(n => n < 40),
        expect.toSatisfy(errors => errors < 40),
      ])
    }))

  it('H6: is damped too where the spec was written and the status is refused', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(games, game('made'))
      await server.faults.add({
        match: { resource: 'games.arcade.example.com', subresource: 'status' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden' },
      })
      await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
      operator
        .controller('source')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ apply }) => {
          const desired = {
            metadata: { name: 'made' },
            spec: { title: 'Ours', secret: 'x', lives: 3 },
            status: { phase: 'On' },
          }
          await apply(games, desired, { owner: false })
        })
      run()
      await simulation.advance(1000)
      await server.resetStats()
      for (let i = 0; i < 600; i++) {
        await client.patch(games, at('made'), { spec: { title: `Theirs ${i}` } })
        await sleep(simulation.clock, 100)
      }
      const { byVerb } = await server.stats()
      expect(byVerb.update?.['games.arcade.example.com']?.requests).toBeLessThan(80)
    }))

  it('C16: says so, whatever others change meanwhile', () =>
    inArcade(async ({ client, server }) => {
      const now = await client.create(configMaps, { metadata: at('made'), data: { title: 'a' } })
      await server.faults.add({
        match: { verb: 'update', resource: 'configmaps' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden' },
      })
      let n = 0
      const read = {
        peek: async () => ({ ...now, data: { title: `${n}` } }),
        get: async (_: unknown, __: unknown, of: { select(o: object): unknown }) => {
          n += 1
          return of.select({ ...now, data: { title: `${n}` } })
        },
      }
      const error: Error = await applyDesired(
        {
          client,
          primary: games,
          owner: { metadata: { ...at('chess'), uid: 'u' } },
          signal: new AbortController().signal,
          read: read as unknown as Read,
          ...unnoted,
        },
        configMaps,
        { metadata: at('made'), data: { title: 'x' } },
        { owner: false },
      ).then(
        () => new Error('none'),
        thrown => thrown,
      )
      expect([error.message, isForbidden(error) || isForbidden(error.cause)]).toEqual([expect.anything(), true])
    }))

  it('C16: says why, also where that can not be tracked', () =>
    inArcade(
      async ({ client, operator, run, simulation }) => {
        await client.create(configMaps, { metadata: at('made') })
        const reasons: unknown[] = []
        operator
          .controller('game')
          .for(games)
          .caches(ours)
          .reconcile(async ({ apply, read }) => {
            await read.get(configMaps, { name: 'other' })
            await apply(ours, { metadata: { name: 'made' }, data: { a: 'b' } }).catch(error =>
              reasons.push(error.reason ?? error.code),
            )
          })
        await client.create(games, game('chess'))
        run()
        await simulation.advance(10_000)
        expect(reasons[0]).toBe('AlreadyExists')
      },
      { narrow: { max: 1, escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY } },
    ))
})
