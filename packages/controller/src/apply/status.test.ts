import { type Client, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { describe, expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import type { Condition } from '../objects/conditions.ts'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import type { Applied } from './options.ts'

interface Machine {
  metadata: ObjectMeta
  spec: { size: number }
  status?: { phase?: string; ready?: number; conditions?: Condition[] }
}

const machines: Resource<Machine, 'namespaced'> = defineResource<Machine>({
  group: 'x.io',
  version: 'v1',
  kind: 'Machine',
  plural: 'machines',
  namespaced: true,
})

const text = { type: 'string' }
const condition = {
  type: 'object',
  properties: { type: text, status: text, reason: text, message: text, lastTransitionTime: text },
}
const byType = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }

/** Defines machines: whether their conditions are a map, and whether there is a status subresource. */
async function define({ client, simulation }: Arcade, list: object = byType, subresources: object = { status: {} }) {
  const status = {
    type: 'object',
    properties: {
      phase: text,
      ready: { type: 'integer' },
      conditions: { type: 'array', items: { ...condition, ...(list === byType && { required: ['type'] }) }, ...list },
    },
  }
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } }, status },
    },
  }
  const definition = {
    metadata: { name: 'machines.x.io' },
    spec: {
      group: 'x.io',
      scope: 'Namespaced',
      names: { kind: 'Machine', listKind: 'MachineList', plural: 'machines', singular: 'machine' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources }],
    },
  }
  await client.create(customResourceDefinitions, definition as never)
  await simulation.advance(100)
}

const at = { name: 'm', namespace: 'default' }
const create = (client: Client) => client.create(machines, { metadata: at, spec: { size: 1 } })
const resize = (client: Client, size: number) => client.patch(machines, at, { spec: { size } })

type What = (context: ReconcileContext<Machine, 'namespaced'>) => Promise<Applied<Machine>>

function declare(operator: Operator, what: What): (Applied<Machine> | Error)[] {
  const done: (Applied<Machine> | Error)[] = []
  operator
    .controller('machine')
    .for(machines)
    .reconcile(async context => {
      done.push(await what(context).catch(error => error))
    })
  return done
}

const outcomes = (done: readonly (Applied<Machine> | Error)[]): string[] =>
  done.map(one => (one instanceof Error ? `${(one as { code?: string }).code}` : one.outcome))

const ready: What = ({ object, status }) =>
  status({
    phase: `size ${object.spec.size}`,
    ...(object.spec.size < 3 && { ready: object.spec.size }),
    conditions: [{ type: 'Ready', status: object.spec.size > 1 ? 'True' : 'False', reason: 'Sized' }],
  })

describe('status', () => {
  it('A4: of an object that is deleted during its run ends the run, reports no error, and the key of the deleted object is cleaned up', () =>
    inArcade(async arcade => {
      const { client, operator, simulation, start } = arcade
      await define(arcade)
      const gone: string[] = []
      const done: unknown[] = []
      operator
        .controller('machine')
        .for(machines)
        .reconcile(async ({ status }) => {
          await client.delete(machines, at)
          const ended = status({ phase: 'On' })
          done.push(await ended.catch(error => error))
          await ended
        })
        .onGone(({ key }) => void gone.push(key.name))
      await create(client)
      await start()
      await simulation.runUntil(() => gone.length > 0)
      expect(done).toEqual([
        expect.objectContaining({ code: 'APPLY_DELAYED', cause: expect.objectContaining({ status: 404 }) }),
      ])
      expect(gone).toEqual(['m'])
      await simulation.advance(60_000)
      expect([done.length, simulation.environment.errors.map(({ error }) => `${error}`)]).toEqual([1, []])
    }))

  it('A4: is the whole of what the controller says; a condition keeps its time while its status is the same', () =>
    inArcade(async arcade => {
      const { client, operator, simulation, start, after } = arcade
      await define(arcade)
      const done = declare(operator, ready)
      await create(client)
      await start()
      const statusNow = async () => (await client.get(machines, at))?.status
      const first = await statusNow()
      expect(first).toMatchObject({
        phase: 'size 1',
        ready: 1,
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'Sized',
            message: '',
            lastTransitionTime: expect.stringMatching(/^\d{4}-.*:\d\dZ$/),
          },
        ],
      })
      // A5: its own write does not run the key.
      expect(outcomes(done)).toEqual(['updated'])
      await simulation.advance(60_000)
      await client.status.patch(
        machines,
        at,
        { status: { conditions: [...(first?.conditions ?? []), { type: 'Theirs', status: 'True' }] } },
        { fieldManager: 'them' },
      )
      await after(resize(client, 2))
      const second = await statusNow()
      expect(second).toMatchObject({
        phase: 'size 2',
        conditions: [{ type: 'Ready', status: 'True' }, { type: 'Theirs' }],
      })
      expect(second?.conditions?.[0]?.lastTransitionTime).not.toBe(first?.conditions?.[0]?.lastTransitionTime)
      await simulation.advance(60_000)
      await after(resize(client, 3))
      const third = await statusNow()
      expect(third).toMatchObject({
        phase: 'size 3',
        conditions: [{ type: 'Ready', status: 'True' }, { type: 'Theirs' }],
      })
      expect(third).not.toHaveProperty('ready')
      expect(third?.conditions?.[0]?.lastTransitionTime).toBe(second?.conditions?.[0]?.lastTransitionTime)
      expect(simulation.environment.errors).toEqual([])
    }))

  it('A5: its own write does not run the key; what others change at the same time does', () =>
    inArcade(async arcade => {
      const { client, operator, server, start, after, simulation } = arcade
      await define(arcade)
      const done = declare(operator, ready)
      await create(client)
      await start()
      expect(done).toHaveLength(1)
      for (let size = 2; size < 12; size++) {
        await after(resize(client, size))
        expect(done).toHaveLength(size)
      }
      // While a write is under way: the event of the other write comes with it, in one order or the other.
      await server.faults.add({ match: { verb: 'patch', subresource: 'status' }, effect: { kind: 'delay', ms: 500 } })
      await resize(client, 20)
      await simulation.advance(100)
      await client.patch(machines, at, { metadata: { labels: { seen: 'yes' } } })
      await client.status.patch(machines, at, { status: { ready: 9 } } as never, { fieldManager: 'them' })
      await operator.settled()
      expect(done).toHaveLength(13)
    }))

  it('A5: after a gap in the watch, what others changed runs the key, though its own write came last', () =>
    inArcade(async arcade => {
      const { client, operator, server, start, simulation } = arcade
      await define(arcade)
      let runs = 0
      operator
        .controller('machine')
        .for(machines)
        .reconcile(async ({ object, status }) => {
          runs += 1
          await status({ phase: object.metadata.labels?.seen ?? 'none', ready: runs })
          return runs === 1 ? { requeueAfterMs: 60_000 } : undefined
        })
      await create(client)
      await start()
      const refused = await server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'status', code: 503 } })
      await server.endWatches()
      await client.patch(machines, at, { metadata: { labels: { seen: 'yes' } } })
      await simulation.advance(61_000)
      expect((await client.get(machines, at))?.status).toEqual({ phase: 'none', ready: 2 })
      await server.expireWatchCaches()
      await refused.remove()
      await simulation.advance(120_000)
      expect((await client.get(machines, at))?.status).toEqual({ phase: 'yes', ready: 3 })
    }))

  it('A6: a status that really changes, fifty times a second, is written each time, and nothing is reported', () =>
    inArcade(async arcade => {
      const { client, operator, start, simulation } = arcade
      await define(arcade)
      let ready = 0
      const done = declare(operator, ({ status }) => status({ ready }))
      await create(client)
      await start()
      for (ready = 1; ready < 90; ready++) {
        await client.patch(machines, at, { metadata: { annotations: { at: `${ready}` } } })
        await simulation.advance(20)
      }
      await operator.settled()
      expect((await client.get(machines, at))?.status?.ready).toBe(89)
      expect(new Set(outcomes(done))).toEqual(new Set(['updated']))
      expect(simulation.environment.errors).toEqual([])
    }))

  it('A4: takes conditions as they are read, and a time or a message that is nothing is left out', () =>
    inArcade(async arcade => {
      const { client, operator, start, after } = arcade
      await define(arcade)
      declare(operator, async ({ object, status }) => {
        const nothing = { message: undefined, lastTransitionTime: null }
        if (object.status === undefined) return status({ conditions: [{ type: 'Ready', status: 'True', ...nothing }] })
        return status({ ...object.status, phase: 'again' })
      })
      await create(client)
      await start()
      await after(resize(client, 2))
      const { phase, conditions } = (await client.get(machines, at))?.status ?? {}
      expect(phase).toBe('again')
      expect(conditions).toEqual([
        { type: 'Ready', status: 'True', message: '', lastTransitionTime: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) },
      ])
    }))

  it('A2, A4: sends nothing where it is so, after a restart too', () =>
    inArcade(async arcade => {
      const { client, server } = arcade
      await define(arcade)
      await create(client)
      for (const expected of [1, 0]) {
        await server.resetStats()
        const operator = new Operator({ name: 'arcade', client })
        declare(operator, ready)
        const stop = new AbortController()
        const running = operator.run({ signal: stop.signal, signals: false }).catch(() => {})
        await operator.settled()
        expect((await server.stats()).byVerb.patch?.['machines.x.io']?.requests ?? 0).toBe(expected)
        stop.abort(new Error('enough'))
        await running
        await operator.close()
      }
    }))

  it('A4: the statuses of all primary objects are watched by one watch, however many begin at once', () =>
    inArcade(async arcade => {
      const { client, operator, server, start } = arcade
      await define(arcade)
      for (let i = 0; i < 20; i++) {
        await client.create(machines, { metadata: { ...at, name: `m${i}` }, spec: { size: 1 } })
      }
      const done = declare(operator, ready)
      await server.resetStats()
      await start()
      expect(outcomes(done)).toEqual(Array(20).fill('updated'))
      expect((await server.stats()).byVerb.watch?.['machines.x.io']?.requests).toBe(2)
      expect((await server.stats()).byVerb.get?.['machines.x.io']?.requests ?? 0).toBe(0)
    }))

  it('A1, A4: gives up what an earlier version wrote by patch', () =>
    inArcade(async arcade => {
      const { client, operator, start } = arcade
      await define(arcade)
      await create(client)
      await client.status.patch(machines, at, { status: { phase: 'old', ready: 7 } })
      declare(operator, ({ status }) => status({ phase: 'new' }, { formerManagers: ['wherry'] }))
      await start()
      expect((await client.get(machines, at))?.status).toEqual({ phase: 'new' })
    }))

  it('A4: rejects where the definition has no status subresource, and names its field', () =>
    inArcade(async arcade => {
      const { client, operator, start } = arcade
      await define(arcade, byType, {})
      const done = declare(operator, ready)
      await create(client)
      await start()
      expect(outcomes(done)).toEqual(['NO_STATUS'])
      expect(`${done[0]}`).toContain('set spec.versions[].subresources.status to {}')
      expect((await client.get(machines, at))?.status).toBeUndefined()
    }))

  it('A4: reports once that conditions are one value for the server, with the list type to set', () =>
    inArcade(async arcade => {
      const { client, operator, simulation, start, after } = arcade
      await define(arcade, {})
      declare(operator, ready)
      await create(client)
      await start()
      await after(resize(client, 2))
      expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual([
        expect.stringContaining('x-kubernetes-list-map-keys: [type]'),
      ])
    }))

  it('A6: a heartbeat each second goes through', () =>
    inArcade(async arcade => {
      const { client, operator, run, simulation } = arcade
      await define(arcade)
      const done = declare(operator, ({ status, now }) =>
        status({ phase: `beat ${Math.floor(now().getTime() / 1000)}` }),
      )
      await create(client)
      run()
      for (let i = 0; i < 120; i++) {
        await simulation.advance(1000)
        await client.patch(machines, at, { metadata: { annotations: { beat: `${i}` } } })
      }
      expect(outcomes(done)).not.toContain('delayed')
    }))
})
