import { Client } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { CopyReconciler } from './copy-reconciler.ts'
import type { CopyReconcilerOptions } from './options.ts'
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
  expect(() => make({ concurrency: 1, mode: 'full', maxRetryMs: 50, timeoutMs: 1, targets: 'a in (b)' })).not.toThrow()
})

it.each([
  ['name', undefined],
  ['name', 'no/label'],
  ['name', 5],
  ['client', {}],
  ['cache', {}],
  ['source', 'configmaps'],
  ['copies', namespaces],
  ['copies', configMaps.metadata()],
  ['copies', configMaps.within({ namespaces: ['a'] })],
  ['targets', '!!'],
  ['targets', undefined],
  ['build', {}],
  ['adapt', 'x'],
  ['copyName', 'x'],
  ['parts', []],
  ['concurrency', 0],
  ['concurrency', 1.5],
  ['mode', 'annotation'],
  ['write', 'patch'],
  ['force', true],
  ['fieldManager', ''],
  ['fieldValidation', 'x'],
  ['timeoutMs', 0],
  ['maxRetryMs', 10],
  ['damping', { repairs: 0 }],
  ['damping', { minMs: 10, maxMs: 5 }],
  ['damping', { every: 5 }],
  ['onEvent', {}],
  ['unknown', 1],
] as const)('X6: %s does not take %j', (name, value) => {
  expect(() => make({ [name]: value })).toThrow(expect.objectContaining({ code: expect.any(String) }))
  expect(() => make({ [name]: value })).toThrow(name)
})
