import { Client } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { CopyReconciler } from './copy-reconciler.ts'
import { type CopyReconcilerOptions, checkedTargets } from './options.ts'
import { settings } from './testkit/cluster.ts'

const client = new Client({ url: 'http://127.0.0.1:1' })
const cache = {
  hold: () => {
    throw new Error('not in a constructor')
  },
}
const make = (options: object): unknown =>
  new CopyReconciler({ ...settings, client, cache, ...options } as CopyReconcilerOptions<object, object>)

it('X6: takes all that it says it takes, and does nothing until it is started', () => {
  expect(() =>
    make({ write: 'apply', force: false, damping: { repairs: 1, minMs: 5, maxMs: 5, forgetMs: 1 } }),
  ).not.toThrow()
  expect(() =>
    make({ name: 'x', concurrency: 1, mode: 'full', maxRetryMs: 50, timeoutMs: 1, targets: 'a in (b)' }),
  ).not.toThrow()
})

it.each([
  ['name', undefined, 'to be given'],
  ['name', 'no/label', 'a label value'],
  ['name', '-x', 'a label value'],
  ['name', 'x'.repeat(64), 'a label value'],
  ['name', 5, 'a string'],
  ['client', {}, 'a Client'],
  ['cache', {}, 'a cache'],
  ['source', 'configmaps', 'a View'],
  ['copies', 'configmaps', 'a resource'],
  ['copies', namespaces, 'a resource with namespaces'],
  ['copies', configMaps.metadata(), 'whole objects, of all namespaces'],
  ['copies', configMaps.within({ namespaces: ['a'] }), 'whole objects, of all namespaces'],
  ['targets', '!!', 'a label selector'],
  ['targets', undefined, 'to be given'],
  ['build', {}, 'a function'],
  ['adapt', 'x', 'a function'],
  ['copyName', 'x', 'a function'],
  ['parts', [], 'parts({ … })'],
  ['concurrency', 0, 'a whole number from 1'],
  ['concurrency', 1.5, 'a whole number from 1'],
  ['mode', 'annotation', 'one of "ingest", "full", "annotations"'],
  ['write', 'patch', 'one of "update", "apply"'],
  ['force', true, "nothing without write: 'apply'"],
  ['force', 'yes', 'true or false'],
  ['fieldManager', '', 'text'],
  ['fieldValidation', 'x', 'one of "Ignore", "Warn", "Strict"'],
  ['timeoutMs', 0, 'milliseconds, 1 or more (Infinity: no bound)'],
  ['maxRetryMs', 10, 'milliseconds, 50 or more'],
  ['damping.repairs', 0, 'a whole number from 1'],
  ['damping.minMs', 0, 'milliseconds, 1 or more'],
  ['damping.maxMs', 999, 'minMs (1000) or more'],
  ['damping.forgetMs', 0, 'milliseconds, 1 or more'],
  ['damping.every', 5, ''],
  ['onEvent', {}, 'a function'],
  ['unknown', 1, ''],
] as const)('X6: %s does not take %j, and the error says so, and what it takes', (name, value, takes) => {
  const [option = '', field] = name.split('.')
  expect(() => make({ [option]: field === undefined ? value : { [field]: value } })).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      option: expect.stringMatching(/^copies\b/),
      takes: expect.stringContaining(takes),
      message: expect.stringMatching(new RegExp(`copies\\.${name}|${field ?? name}`)),
    }),
  )
})

it.each([
  ['client', ['get', 'create', 'update', 'apply', 'delete']],
  ['source', ['within']],
  ['copies', ['within', 'project', 'full']],
  ['parts', ['record']],
] as const)('X6: %s does not take what lacks one of %j', (option, methods) => {
  const given = { ...settings, client }[option] as object
  for (const method of methods) {
    const lacking = Object.assign(Object.create(given), { [method]: undefined })
    expect(() => make({ [option]: lacking })).toThrow(expect.objectContaining({ option: `copies.${option}` }))
  }
})

it('chooses namespaces by their labels, or as a function says', () => {
  const chooses = (targets: CopyReconcilerOptions<ConfigMap, ConfigMap>['targets'], labels?: Record<string, string>) =>
    checkedTargets({ ...settings, client, cache, targets })({ data: { to: 'x' } }, {
      metadata: { name: 'x', labels },
    } as never)
  expect([chooses('tenant', { tenant: 'a' }), chooses('tenant', {}), chooses('tenant')]).toEqual([true, false, false])
  expect([chooses({ tenant: 'a' }, { tenant: 'a' }), chooses({ tenant: 'a' }, { tenant: 'b' })]).toEqual([true, false])
  expect(chooses(({ data }, { metadata }) => data?.to === metadata.name)).toBe(true)
  expect(chooses(({ data }, { metadata }) => data?.to !== metadata.name)).toBe(false)
})

it('H8: a function that gives anything but true or false chooses no namespace: it is an error that says what it gave', () => {
  const chooses = (given: unknown) =>
    checkedTargets({ ...settings, client, cache, targets: () => given as boolean })({ data: {} }, {
      metadata: {},
    } as never)
  for (const [given, kind] of [
    [Promise.resolve(false), 'a promise'],
    [Promise.reject(new Error('not handled')), 'a promise'],
    [undefined, 'undefined'],
    ['false', 'string'],
    [null, 'null'],
  ]) {
    expect(() => chooses(given)).toThrow(
      expect.objectContaining({ option: 'copies.targets', message: expect.stringContaining(`one that gives ${kind}`) }),
    )
  }
})
