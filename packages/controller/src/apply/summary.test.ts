import { type Client, defineResource, type ObjectMeta } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { events } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Condition } from '../objects/conditions.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import type { SummaryOptions } from './summary.ts'

interface Site {
  metadata: ObjectMeta
  spec?: { size: number }
  status?: { conditions?: Condition[] }
}

const sites = defineResource<Site>({ group: 'x.io', version: 'v1', kind: 'Site', plural: 'sites', namespaced: true })
const at = { name: 's', namespace: 'default' }
const text = { type: 'string' }

async function define({ client, simulation }: Arcade): Promise<void> {
  const properties = {
    ...{ type: text, status: text, reason: text, message: text, lastTransitionTime: text },
    observedGeneration: { type: 'integer' },
  }
  const conditions = {
    ...{ type: 'array', items: { type: 'object', required: ['type'], properties } },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  }
  const spec = { type: 'object', properties: { size: { type: 'integer' } } }
  const status = { type: 'object', properties: { conditions } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } }
  const names = { kind: 'Site', listKind: 'SiteList', plural: 'sites', singular: 'site' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const definition = { group: 'x.io', scope: 'Namespaced', names, versions: [version] }
  await client.create(customResourceDefinitions, { metadata: { name: 'sites.x.io' }, spec: definition } as never)
  await simulation.advance(100)
}

type Given = Pick<Condition, 'type' | 'status'> & Partial<Condition>

/** Runs a controller that applies these conditions, which may change from one size to the next. */
async function summing(arcade: Arcade, summary: true | SummaryOptions, of: (size: number) => readonly Given[]) {
  const { client, operator, start, after } = arcade
  await define(arcade)
  const thrown: Error[] = []
  operator
    .controller('site')
    .for(sites)
    .reconcile(async ({ object, status }) => {
      const conditions = of(object.spec?.size ?? 0).map(one => ({ reason: 'Because', ...one }))
      await status({ conditions }, { summary }).catch(error => void thrown.push(error))
    })
  await client.create(sites, { metadata: at, spec: { size: 1 } })
  await start()
  return {
    thrown,
    resize: (size: number) => after(client.patch(sites, at, { spec: { size } })),
    conditions: async () => (await client.get(sites, at))?.status?.conditions ?? [],
    said: () => said(client),
  }
}

async function said(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(events)
  // The same event again would count one more.
  expect(items.map(({ count }) => count)).toEqual(items.map(() => 1))
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

describe('the summary of a status', () => {
  it('A13: is one more condition, with the generation of each, and an event for each that gets another status', () =>
    inArcade(async arcade => {
      const { conditions, resize, said } = await summing(arcade, true, size => [
        { type: 'Built', status: 'True', observedGeneration: undefined },
        { type: 'Served', status: size > 1 ? 'True' : 'False', reason: 'NoPods', message: 'no Pod is ready' },
      ])
      expect(await conditions()).toMatchObject([
        { type: 'Built', status: 'True', observedGeneration: 1 },
        { type: 'Served', status: 'False', observedGeneration: 1 },
        { type: 'Ready', status: 'False', reason: 'NoPods', message: 'Served: no Pod is ready', observedGeneration: 1 },
      ])
      await arcade.simulation.advance(5000)
      const [, , first] = await conditions()
      expect((await said()).toSorted()).toEqual([
        'Normal Because: Built is True',
        'Warning NoPods: Served is False: no Pod is ready',
      ])
      await resize(2)
      await arcade.simulation.advance(5000)
      const [, , ready] = await conditions()
      expect(ready).toMatchObject({ status: 'True', reason: 'AllTrue', message: '', observedGeneration: 2 })
      expect(ready?.lastTransitionTime).not.toBe(first?.lastTransitionTime)
      expect((await said()).filter(line => line.includes('Served'))).toHaveLength(2)
      await resize(3)
      await arcade.simulation.advance(5000)
      // Nothing got another status: no event, and the time stays.
      expect(await said()).toHaveLength(3)
      expect((await conditions())[2]).toMatchObject({
        observedGeneration: 3,
        lastTransitionTime: ready?.lastTransitionTime,
      })
    }))

  it.each<[string, SummaryOptions, readonly Given[], object]>([
    [
      'none is Unknown',
      {},
      [
        { type: 'A', status: 'Unknown' },
        { type: 'B', status: 'True' },
      ],
      { status: 'Unknown', reason: 'Because' },
    ],
    [
      'bad comes before Unknown',
      {},
      [
        { type: 'A', status: 'Unknown' },
        { type: 'B', status: 'False', message: 'no' },
      ],
      { status: 'False', message: 'B: no' },
    ],
    [
      'True can be bad',
      { bad: ['Stalled'] },
      [{ type: 'Stalled', status: 'True' }],
      { status: 'False', message: 'Stalled: Because' },
    ],
    ['and False good', { bad: ['Stalled'] }, [{ type: 'Stalled', status: 'False' }], { status: 'True' }],
    [
      'of another type',
      { type: 'Available', events: false },
      [{ type: 'A', status: 'True' }],
      { type: 'Available', status: 'True' },
    ],
  ])('A13: %s', (_, summary, given, expected) =>
    inArcade(async arcade => {
      const { conditions, said, thrown } = await summing(arcade, summary, () => given)
      expect(thrown).toEqual([])
      expect((await conditions()).at(-1)).toMatchObject(expected)
      await arcade.simulation.advance(5000)
      expect(await said()).toHaveLength(summary.events === false ? 0 : given.length)
    }),
  )

  it('A13: refuses what would say nothing: a type that is there already, or one that is bad and is not there', () =>
    inArcade(async arcade => {
      const { thrown, resize, conditions } = await summing(arcade, { bad: ['Stuck'] }, size =>
        size > 1 ? [{ type: 'Ready', status: 'True' }] : [{ type: 'Stalled', status: 'True' }],
      )
      await resize(2)
      expect(thrown.map(({ message }) => message)).toEqual([
        expect.stringMatching(/status\.summary\.bad .*Stalled.*Stuck/),
        expect.stringMatching(/status\.summary\.type .*Ready/),
      ])
      expect(await conditions()).toEqual([])
    }))
})
