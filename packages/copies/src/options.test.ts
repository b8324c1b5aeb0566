import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { Copies } from './copies.ts'
import { type CopiesOptions, isTargetOf } from './options.ts'
import { settings } from './testkit/cluster.ts'

const make = (options: object): unknown => new Copies({ ...settings, ...options } as CopiesOptions<object, object>)

it('X6: takes all that it says it takes, and does nothing until it is connected', () => {
  const most = {
    adapt: (copy: ConfigMap) => copy,
    copyName: () => 'x',
    status: () => ({}),
    formerManagers: ['a'],
    fieldValidation: 'Strict',
    hashAnnotation: 'example.com/hash',
    statusHashAnnotation: 'example.com/status-hash',
  }
  expect(() => make({ ...most, enabled: false, concurrency: 1, maxRetryMs: 50, timeoutMs: 1 })).not.toThrow()
  const copies = new Copies({ ...settings, enabled: false })
  copies.enable()
  copies.resync()
  expect(copies.report()).toEqual({
    ...{
      name: 'settings',
      isEnabled: true,
      sources: 0,
      copies: 0,
      unchanged: 0,
      learned: 0,
      repairs: 0,
      failures: 0,
      statusWrites: 0,
    },
    ...{ writes: { create: 0, update: 0, delete: 0 }, failing: new Map(), delayed: [] },
  })
  expect(copies.controller.name).toBe('copies-settings')
})

it.each([
  ['name', undefined, 'to be given'],
  ['name', 'no/label', 'a label value'],
  ['name', '-x', 'a label value'],
  ['name', 'x'.repeat(64), 'a label value'],
  ['name', 5, 'a string'],
  ['source', undefined, 'to be given'],
  ['source', 'configmaps', 'a View'],
  ['copies', 'configmaps', 'a resource'],
  ['copies', namespaces, 'a resource with namespaces'],
  ['copies', configMaps.metadata(), 'whole objects, of all namespaces'],
  ['copies', configMaps.within({ namespaces: ['a'] }), 'whole objects, of all namespaces'],
  ['copies', configMaps.within({ labels: 'a' }), 'whole objects, of all namespaces'],
  ['copies', configMaps.within({ fields: { 'metadata.name': 'a' } }), 'whole objects, of all namespaces'],
  ['targets', '!!', 'a label selector'],
  ['targets', undefined, 'to be given'],
  ['targets', ['a', 5], 'a string'],
  ['build', {}, 'a function'],
  ['adapt', 'x', 'a function'],
  ['copyName', 'x', 'a function'],
  ['status', { phase: 'Copied' }, 'a function'],
  ['enabled', 'yes', 'true or false'],
  ['concurrency', 0, 'a whole number from 1'],
  ['maxRetryMs', 10, 'milliseconds, 50 or more'],
  ['formerManagers', 'x', 'a list of names'],
  ['formerManagers', [5], 'a string'],
  ['fieldValidation', 'x', 'one of "Ignore", "Warn", "Strict"'],
  ['hashAnnotation', 'no name', 'the name of an annotation'],
  ['hashAnnotation', 'copies.wherry.dev/copied-from', 'the name of an annotation'],
  ['statusHashAnnotation', 'no name', 'the name of an annotation'],
  ['statusHashAnnotation', 'example.com/hash', 'no name unless the option status is given too'],
  ['timeoutMs', 0, 'milliseconds, 1 or more (Infinity: no bound)'],
  ['mode', 'ingest', ''],
])('X6: %s: %j is refused by an error that names the option and what it takes', (option, value, takes) => {
  const refused = (): unknown => make({ [option]: value })
  expect(refused).toThrow(`copies.${option}`)
  expect(refused).toThrow(takes)
})

it('chooses namespaces by their labels, by a list of names, or as a function says', () => {
  const space = (name: string, labels = {}) => ({ metadata: { name, labels } })
  const chosen = (targets: CopiesOptions<object, object>['targets']): string[] => {
    const isTarget = isTargetOf(targets)
    const spaces = [space('a', { tenant: 'x' }), space('b', { tenant: 'y' }), space('c')]
    return spaces.filter(one => isTarget({}, one as never)).map(({ metadata }) => metadata.name)
  }
  expect(chosen('tenant')).toEqual(['a', 'b'])
  expect(chosen({ tenant: 'x' })).toEqual(['a'])
  expect(chosen(['c', 'd'])).toEqual(['c'])
  expect(chosen([])).toEqual([])
  expect(chosen((_, { metadata }) => metadata.name === 'b')).toEqual(['b'])
  expect(() => chosen((() => 'yes') as never)).toThrow('gives true or false, at once')
})

it('X6: statusHashAnnotation: the name that hashAnnotation has is refused', () => {
  const options = { status: () => ({}), hashAnnotation: 'hash', statusHashAnnotation: 'hash' }
  expect(() => make(options)).toThrow(/copies\.statusHashAnnotation .*another name than hashAnnotation/)
})
