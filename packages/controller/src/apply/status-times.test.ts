import { type Client, defineResource, type ObjectMeta } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { describe, expect, it } from 'vitest'
import type { ControllerOptions } from '../controller/definition.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import type { Applied } from './options.ts'
import type { StatusOptions } from './status.ts'
import { withoutTimes } from './times.ts'

interface Probe {
  metadata: ObjectMeta
  status?: {
    phase?: string
    lastProbeTime?: string
    seenAt?: string
    lastScheduleTime?: string
    parts?: { name: string; lastHeartbeatTime?: string; ok?: boolean }[]
    conditions?: { type: string; status: string; reason: string; message?: string; lastUpdateTime?: string }[]
  }
}

const probes = defineResource<Probe>({
  group: 'x.io',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
  namespaced: true,
})
const at = { name: 'p', namespace: 'default' }
const text = { type: 'string' }

async function define({ client, simulation }: Arcade, isMap: boolean): Promise<void> {
  const condition = {
    type: 'object',
    ...(isMap && { required: ['type'] }),
    properties: {
      type: text,
      status: text,
      reason: text,
      message: text,
      lastUpdateTime: text,
      lastTransitionTime: text,
    },
  }
  const list = isMap ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] } : {}
  const part = {
    type: 'object',
    properties: { name: text, lastHeartbeatTime: text, ok: { type: 'boolean', default: true } },
  }
  const properties = {
    ...{ phase: text, lastProbeTime: text, seenAt: text, lastScheduleTime: text },
    parts: { type: 'array', items: part },
    conditions: { type: 'array', items: condition, ...list },
  }
  const schema = { openAPIV3Schema: { type: 'object', properties: { status: { type: 'object', properties } } } }
  const names = { kind: 'Probe', listKind: 'ProbeList', plural: 'probes', singular: 'probe' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const spec = { group: 'x.io', scope: 'Namespaced', names, versions: [version] }
  await client.create(customResourceDefinitions, { metadata: { name: 'probes.x.io' }, spec } as never)
  await simulation.advance(100)
}

/** A controller that writes the time of each run into the status. `run` runs it again, and gives the result of the apply and the stored status. */
async function probing(
  arcade: Arcade,
  given: { readonly options?: ControllerOptions; readonly status?: StatusOptions; readonly isMap?: boolean },
  of: (now: string, round: number) => NonNullable<Probe['status']>,
): Promise<() => Promise<{ readonly outcome: string; readonly stored: Probe['status'] }>> {
  const { client, operator, simulation } = arcade
  await define(arcade, given.isMap === true)
  const done: Applied<unknown>[] = []
  operator
    .controller('probe', given.options)
    .for(probes)
    .reconcile(async ({ status, now }) => {
      done.push(await status(of(new Date(now()).toISOString(), done.length) as never, given.status))
    })
  await client.create(probes, { metadata: at })
  await arcade.start()
  return async () => {
    await simulation.advance(5000)
    await touch(client)
    await operator.settled()
    return { outcome: `${done.at(-1)?.outcome}`, stored: (await client.get(probes, at))?.status }
  }
}

const touch = (client: Client): Promise<unknown> =>
  client.patch(probes, at, { metadata: { annotations: { at: `${client.environment.clock.monotonic()}` } } })

describe('a status that differs only in times', () => {
  it.each([true, false])('A12: is not written, wherever the times are (conditions are a map: %s)', isMap =>
    inArcade(async arcade => {
      const run = await probing(arcade, { isMap }, (now, round) => ({
        ...{ phase: round < 3 ? 'Up' : 'Down', lastProbeTime: now },
        parts: [{ name: 'disk', lastHeartbeatTime: now, ok: true }],
        conditions: [{ type: 'Ready', status: 'True', reason: 'Up', lastUpdateTime: now }],
      }))
      const first = (await arcade.client.get(probes, at))?.status
      expect(await run()).toEqual({ outcome: 'unchanged', stored: first })
      expect(await run()).toEqual({ outcome: 'unchanged', stored: first })
      const { outcome, stored } = await run()
      expect([outcome, stored?.phase]).toEqual(['updated', 'Down'])
      // The written status has all the times of that run.
      expect(stored?.lastProbeTime).not.toBe(first?.lastProbeTime)
      expect(stored?.parts?.[0]?.lastHeartbeatTime).toBe(stored?.lastProbeTime)
    }),
  )

  it('A12: a time that is information is written, and one that the controller names is not', () =>
    inArcade(async arcade => {
      const options = { ignoreTimes: ['seenAt'] }
      const run = await probing(arcade, { options }, (now, round) => ({
        seenAt: now,
        ...(round > 1 && { lastScheduleTime: now }),
      }))
      expect((await run()).outcome).toBe('unchanged')
      expect((await run()).outcome).toBe('updated')
      expect((await run()).outcome).toBe('updated')
    }))

  it('A12: a heartbeat is written if the call says so', () =>
    inArcade(async arcade => {
      const run = await probing(arcade, { status: { times: 'write' } }, now => ({ lastProbeTime: now }))
      const first = await run()
      const second = await run()
      expect([first.outcome, second.outcome]).toEqual(['updated', 'updated'])
      expect(second.stored?.lastProbeTime).not.toBe(first.stored?.lastProbeTime)
    }))

  it.each([
    ['as it was sent', { name: 'disk', ok: true }],
    ['with a default', { name: 'disk' }],
  ])('A12: a heartbeat is a request even if nothing differs, and the server stores it %s', (_, part) =>
    inArcade(async arcade => {
      const conditions = [{ type: 'Ready', status: 'True', reason: 'Up' }]
      const run = await probing(arcade, { status: { times: 'write' } }, () => ({ parts: [part], conditions }))
      const patches = async (): Promise<number> =>
        (await arcade.server.stats()).byVerb.patch?.['probes.x.io']?.requests ?? 0
      await run()
      const before = await patches()
      await run()
      // The test's own patch, and the heartbeat.
      expect((await patches()) - before).toBe(2)
    }),
  )

  it('A12: refuses options that a status does not have', () =>
    inArcade(async arcade => {
      const { client, operator } = arcade
      await define(arcade, true)
      const errors: unknown[] = []
      operator
        .controller('probe')
        .for(probes)
        .reconcile(async ({ status }) => {
          await status({}, { times: 'sometimes' } as never).catch(error => errors.push(error.option))
          await status({}, { adopt: true } as never).catch(error => errors.push(error.option))
        })
      expect(() => operator.controller('b', { ignoreTimes: 'seenAt' as never })).toThrow()
      await client.create(probes, { metadata: at })
      await arcade.start()
      expect(errors).toEqual(['status.times', 'status.adopt'])
    }))
})

it('withoutTimes leaves a value that is too deep as it is', () => {
  let deep: unknown = { lastProbeTime: 'x' }
  for (let i = 0; i < 10_000; i++) deep = { deep }
  expect(() => withoutTimes(deep, new Set(['lastProbeTime']))).not.toThrow()
  expect(withoutTimes([{ a: { lastProbeTime: 'x', b: 1 } }], new Set(['lastProbeTime']))).toEqual([{ a: { b: 1 } }])
})
