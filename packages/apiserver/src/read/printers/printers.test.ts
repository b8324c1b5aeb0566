import { describe, expect, it } from 'vitest'
import { Registry } from '../../definitions/registry.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { resourceKey } from '../../store/store.ts'
import { merge, withServer } from '../../testkit/in-memory.ts'
import { builtinPrinter } from './index.ts'
import { durationText } from './printer.ts'

const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const pods = '/api/v1/namespaces/default/pods'

// The cells of every kind are compared with a real server's, in test/differential.
describe('what kubectl get shows', () => {
  it('F1: a Pod that waits, one that has ended, and one that is going', () =>
    withServer(async kit => {
      const status = {
        phase: 'Running',
        containerStatuses: [
          { name: 'c', restartCount: 3, ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      }
      for (const [name, of] of [
        ['a', status],
        ['b', { phase: 'Succeeded' }],
        ['c', {}],
      ] as const) {
        const finalizers = name === 'c' ? ['ex.io/f'] : []
        await kit.call('POST', pods, {
          metadata: { name, finalizers },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        })
        await kit.call('PATCH', `${pods}/${name}/status`, { status: of }, merge)
      }
      await kit.call('DELETE', `${pods}/c`)
      const { json } = await kit.call('GET', `${pods}?includeObject=None`, undefined, accept)
      const rows = json.rows as { cells: unknown[]; conditions?: { reason: string }[] }[]
      expect(rows.map(({ cells }) => cells.slice(0, 4))).toEqual([
        ['a', '0/1', 'CrashLoopBackOff', '3'],
        ['b', '0/1', 'Succeeded', '0'],
        ['c', '0/1', 'Terminating', '0'],
      ])
      expect(rows.map(({ conditions }) => conditions?.[0]?.reason)).toEqual([undefined, 'Succeeded', undefined])
    }))
})

it('F1: a definition is shown with its scope and the versions that are served', () =>
  withServer(async kit => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const schema = { openAPIV3Schema: { type: 'object' } }
    const version = (name: string, served: boolean, storage: boolean): object => ({ name, served, storage, schema })
    await kit.call('POST', path, {
      metadata: { name: 'games.arcade.example.com' },
      spec: {
        group: 'arcade.example.com',
        scope: 'Namespaced',
        names: { plural: 'games', kind: 'Game', shortNames: ['g', 'gm'] },
        versions: [version('v2', true, true), version('v1', true, false), version('v0', false, false)],
      },
    })
    await kit.sim.advance(10_000)
    const { json } = await kit.call('GET', path, undefined, accept)
    expect(json.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Scope',
      'Versions',
      'Created At',
      'Group',
      'Kind',
      'ShortNames',
      'Established',
    ])
    const cells = ['Namespaced', 'v1,v2(storage)', expect.any(String), 'arcade.example.com', 'Game', 'g,gm', true]
    expect(json.rows[0].cells).toEqual(['games.arcade.example.com', ...cells])
  }))

it('F1: there is a Table of every built-in that can be watched', () => {
  // Of some, a real server shows the name and the time of creation alone.
  const isPrinted = ({ columns }: ResourceType): boolean =>
    columns !== undefined && !columns.some(column => column.name === 'Created At')
  const watched = [...new Registry().all()].filter(type => type.verbs.includes('watch') && isPrinted(type))
  expect(watched.length).toBeGreaterThan(50)
  expect(watched.filter(type => builtinPrinter(type) === undefined).map(resourceKey)).toEqual([])
})

describe('a duration', () => {
  it.for([
    [5, '5s'],
    [119, '119s'],
    [200, '3m20s'],
    [7200, '120m'],
    [11_100, '3h5m'],
    [169_200, '47h'],
    [300_000, '3d11h'],
    [864_000, '10d'],
    [63_072_000, '2y'],
    [63_158_400, '2y1d'],
    [315_360_000, '10y'],
  ] as const)('F1: of %i seconds is %s', ([seconds, text]) => {
    expect(durationText(seconds)).toBe(text)
  })
})
