import { isForbidden, sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'
import { applyDesired } from './apply.ts'
import { TerminalError } from './errors.ts'
import { refuseStatus, refuseUpdates } from './testkit/refusals.ts'
import { applyTitle } from './testkit/titles.ts'
import { unnoted } from './testkit/unnoted.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

describe('an apply that is refused', () => {
  it('X8: is tried again with backoff, however often somebody else changes the object', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add(refuseUpdates())
      applyTitle(operator)
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
      await server.faults.add(refuseStatus)
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
      await server.faults.add(refuseUpdates())
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

  it('X8: that succeeded before is sent again with backoff, and told of as often, however often somebody else changes the object', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      applyTitle(operator)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await server.faults.add(refuseUpdates())
      await server.resetStats()
      for (let i = 0; i < 600; i++) {
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await sleep(simulation.clock, 100)
      }
      const { byVerb } = await server.stats()
      expect([byVerb.update?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
        expect.toSatisfy(requests => requests < 20),
        expect.toSatisfy(errors => errors < 20),
      ])
    }))

  it('C11, C16: that is caught: the key runs when the object was made as desired by hand', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add(refuseUpdates())
      const phases: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          phases.push(
            await apply(ours, desired, { owner: false }).then(
              () => 'Ready',
              () => 'Refused',
            ),
          )
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      expect(phases).toEqual(['Refused'])
      // An admin does what the operator may not.
      await client.patch(configMaps, at('made'), { data: { title: 'Chess' } })
      await simulation.advance(3_600_000)
      expect(phases.at(-1)).toBe('Ready')
    }))

  it('C2, C16: that ends in a TerminalError: the key runs when the object was made as desired by hand', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add(refuseUpdates())
      const phases: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          try {
            await apply(ours, desired, { owner: false })
            phases.push('Ready')
          } catch (cause) {
            phases.push('Refused')
            throw new TerminalError('may not', { cause })
          }
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(phases).toEqual(['Refused'])
      await client.patch(configMaps, at('made'), { data: { title: 'Chess' } })
      await simulation.advance(3_600_000)
      expect(phases.at(-1)).toBe('Ready')
    }))

  it('C16: for a field that another manager has: the key runs when that one gives it up', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      await client.apply(
        configMaps,
        { metadata: { ...at('made'), labels }, data: { title: 'theirs' } },
        { fieldManager: 'other' },
      )
      const phases: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          phases.push(
            await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us' }).then(
              () => 'Ready',
              error => error.reason,
            ),
          )
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(phases).toEqual(['Conflict'])
      // The other manager lets go of the field: it is gone from the object.
      await client.apply(configMaps, { metadata: { ...at('made'), labels } }, { fieldManager: 'other' })
      await simulation.advance(3_600_000)
      expect([phases.at(-1), (await client.get(configMaps, at('made')))?.data]).toEqual(['Ready', { title: 'Chess' }])
    }))

  it('C16: for its status, caught: what somebody else makes of the spec is repaired', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await server.faults.add(refuseStatus)
      await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
      operator
        .controller('source')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ apply }) => {
          const spec = { title: 'Ours', secret: 'x', lives: 3 }
          await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }).catch(() => {})
        })
      run()
      await operator.settled()
      await client.patch(games, at('made'), { spec: { title: 'Theirs' } })
      await simulation.advance(3_600_000)
      expect((await client.get(games, at('made')))?.spec.title).toBe('Ours')
    }))

  it('X8: status refused after a create: not asked again at once', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await server.faults.add(refuseStatus)
      await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
      let runs = 0
      operator
        .controller('source')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ apply }) => {
          runs += 1
          const spec = { title: 'Ours', secret: 'x', lives: 3 }
          await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }).catch(() => {})
        })
      await server.resetStats()
      run()
      await simulation.advance(5000)
      const { byVerb } = await server.stats()
      expect([runs, byVerb.patch?.['games.arcade.example.com']?.requests]).toEqual([1, 1])
    }))

  it('C11, C16: a conflict that is caught: the key runs when the cache has what it was refused for', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      const seen: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object, read }) => {
          await read.peek(ours, { name: 'made' })
          if (seen.length === 0) await client.patch(configMaps, at('made'), { data: { title: 'b' } })
          seen.push(
            await apply(
              ours,
              { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } },
              { owner: false },
            ).then(
              ({ reason }) => reason,
              error => error.reason,
            ),
          )
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(3_600_000)
      expect([seen, (await client.get(configMaps, at('made')))?.data]).toEqual([expect.anything(), { title: 'Chess' }])
    }))

  it('C11, C16: a conflict with a change of nothing that is compared, caught: the key runs when the cache has that', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      const seen: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object, read }) => {
          await read.peek(ours, { name: 'made' })
          if (seen.length === 0)
            await client.patch(configMaps, at('made'), { metadata: { annotations: { note: 'b' } } })
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          const applied = apply(ours, desired, { owner: false })
          seen.push(
            await applied.then(
              ({ reason }) => reason,
              error => error.reason,
            ),
          )
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(3_600_000)
      expect([seen.slice(0, 2), (await client.get(configMaps, at('made')))?.data]).toEqual([
        ['Conflict', 'differs'],
        { title: 'Chess' },
      ])
    }))

  it('C16: is sent at once when something else is desired, however often it was refused', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      const effect = { kind: 'status', code: 422, reason: 'Invalid' } as const
      const fault = await server.faults.add({ match: { verb: 'update', resource: 'configmaps' }, effect })
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          await apply(ours, desired, { owner: false }).catch(() => {})
        })
      await client.create(games, game('chess'))
      run()
      for (let i = 0; i < 600; i++) {
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await simulation.advance(1000)
      }
      await fault.remove()
      // It would wait for minutes still.
      await client.patch(games, at('chess'), { spec: { title: 'right' } })
      await simulation.advance(100)
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'right' })
    }))

  it('H8, X9: one that was not waited for: what is told is the refusal', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add(refuseUpdates())
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object, read }) => {
          await read.get(ours, { name: 'made' })
          void apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
          await simulation.clock.turn()
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(10_000)
      const told = simulation.environment.errors.map(({ error }) => `${error.name}: ${error.message}`)
      expect(told).toEqual([expect.stringMatching(/^ApiError: .*403/)])
    }))

  it('X8: where another has taken it over after it was made, its changes are told of not more often than backoff does', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      const { metadata } = await client.create(configMaps, { metadata: at('rival') })
      applyTitle(operator)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      const rival = { apiVersion: 'v1', kind: 'ConfigMap', name: 'rival', uid: metadata?.uid ?? '', controller: true }
      await client.patch(configMaps, at('made'), { metadata: { ownerReferences: [rival] } })
      for (let i = 0; i < 600; i++) {
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await sleep(simulation.clock, 100)
      }
      expect(simulation.environment.errors.length).toBeLessThan(20)
    }))

  it('C16: uncaught: the key runs at once when the object was made as desired by hand', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      await server.faults.add(refuseUpdates())
      let ready = false
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          ready = false
          const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
          await apply(ours, desired, { owner: false })
          ready = true
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1_000_000)
      await client.patch(configMaps, at('made'), { data: { title: 'Chess' } })
      await simulation.advance(10_000)
      expect(ready).toBe(true)
    }))

  it('H6: a spec that a rival writes again and again is damped, also where the status is refused, and that is caught', () =>
    inArcade(async ({ client, server, operator, run, simulation }) => {
      await server.faults.add(refuseStatus)
      await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
      operator
        .controller('source')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .owns(games)
        .reconcile(async ({ apply }) => {
          const spec = { title: 'Ours', secret: 'x', lives: 3 }
          await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } }).catch(() => {})
        })
      run()
      await operator.settled()
      await server.resetStats()
      for (let i = 0; i < 300; i++) {
        await client.patch(games, at('made'), { spec: { title: `Theirs ${i}` } })
        await simulation.advance(100)
      }
      const { byVerb } = await server.stats()
      expect([
        byVerb.update?.['games.arcade.example.com']?.requests,
        simulation.environment.errors.map(({ error }) => error.name),
      ]).toEqual([expect.toSatisfy(n => n < 20), ['FlappingError']])
    }))
})
