import type { ObjectMeta, Whole } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { hashesAnnotation } from '../annotations/key.ts'
import { hashParts } from '../parts/parts.ts'
import { Fixpoints } from './fixpoints.ts'
import { copiedFromAnnotation, copySetLabel, copySourceLabel } from './marks.ts'
import { Source } from './source.ts'
import { content } from './testkit/cluster.ts'

const mark = { set: 'settings', id: 'id', key: 'shared/s' }
const state: ConfigMap = { metadata: { namespace: 'shared', name: 's' }, data: { n: '0' } }
const at = { namespace: 'a', name: 's' }

const made = (making: object = {}): Source<ConfigMap, ConfigMap> => {
  const source = new Source<ConfigMap, ConfigMap>(
    mark,
    { source: configMaps, build: ({ data }: ConfigMap) => ({ data }) as Whole<ConfigMap>, parts: content, ...making },
    new Fixpoints(8),
    false,
  )
  source.set(state)
  return source
}
const refused = (problem: string) =>
  expect.objectContaining({ code: 'INVALID_COPY', source: 'shared/s', message: expect.stringContaining(problem) })

it('has copies of its own name, or of the one that copyName gives for a namespace', () => {
  expect(made().nameIn('a', state)).toBe('s')
  const copyName = ({ metadata }: ConfigMap, namespace: string) => `${metadata?.name}-in-${namespace}`
  expect(made({ copyName }).nameIn('a', state)).toBe('s-in-a')
})

it('H8: a name that no object can have is an error of the source that names the namespace', () => {
  for (const name of [undefined, 7, '', 'x/y', ['x']]) {
    expect(() => made({ copyName: () => name }).nameIn('a', state)).toThrow(refused('in a '))
  }
})

it('H8: a copy that is no object is an error that says what it is, also where adapt made it so', () => {
  for (const [copy, kind] of [
    [null, 'null'],
    ['x', 'string'],
    [5, 'number'],
    [Promise.resolve({ data: {} }), 'is a promise'],
    [Promise.reject(new Error('not handled')), 'is a promise'],
    [[{ data: {} }], 'is a list'],
  ]) {
    expect(() => made({ build: () => copy }).copyIn(at)).toThrow(refused(`${kind}`))
    expect(() => made({ adapt: () => copy }).copyIn(at)).toThrow(refused(`${kind}`))
  }
  expect(() => made({ adapt: () => undefined }).copyIn(at)).toThrow(refused('undefined'))
})

it('wants a copy with its marks, and nothing in the metadata that only a server sets', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o-1' }]
  const metadata: ObjectMeta = {
    namespace: 'elsewhere',
    name: 'other',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'arcade' },
    annotations: { note: 'x', [hashesAnnotation]: '{}' },
    ownerReferences,
    finalizers: ['example.com/hold'],
  }
  const copy = made({ build: () => ({ metadata, data: {} }) }).copyIn(at)
  expect(copy?.object().metadata).toEqual({
    namespace: 'a',
    name: 's',
    labels: { app: 'arcade', [copySetLabel]: 'settings', [copySourceLabel]: 'id' },
    annotations: { note: 'x', [copiedFromAnnotation]: 'settings shared/s' },
    ownerReferences,
    finalizers: ['example.com/hold'],
  })
  // What is absent is not sent as if it were to be taken away.
  expect(Object.keys(made().copyIn(at)?.object().metadata ?? {}).sort()).toEqual([
    'annotations',
    'labels',
    'name',
    'namespace',
  ])
})

it('H7: is built, and its copy hashed, once for all namespaces, and anew when it has changed', () => {
  let builds = 0
  const source = made({
    build: ({ data }: ConfigMap) => {
      builds += 1
      return { data }
    },
  })
  const [a, b] = ['a', 'b'].map(namespace => source.copyIn({ namespace, name: 's' }))
  expect(builds).toBe(1)
  expect(a?.wanted).toBe(b?.wanted)
  expect(b?.object().metadata?.namespace).toBe('b')
  expect(source.copyIn({ namespace: 'a', name: 'other' })?.wanted).not.toEqual(a?.wanted)
  source.set({ ...state, data: { n: '1' } })
  expect(source.copyIn(at)?.wanted).not.toEqual(a?.wanted)
  expect(builds).toBe(2)
})

it('wants what adapt makes of the copy in each namespace', () => {
  const adapt = (copy: ConfigMap, namespace: string, source: ConfigMap) => ({
    ...copy,
    data: { ...copy.data, namespace, from: `${source.metadata?.name}` },
  })
  const source = made({ adapt })
  const [a, b] = ['a', 'b'].map(namespace => source.copyIn({ namespace, name: 's' }))
  expect(a?.object().data).toEqual({ n: '0', namespace: 'a', from: 's' })
  expect(b?.object().data).toEqual({ n: '0', namespace: 'b', from: 's' })
  for (const copy of [a, b]) expect(copy?.wanted).toEqual(hashParts(copy?.object() as ConfigMap, content))
})

it('wants none where it is gone, or where build gives none', () => {
  let builds = 0
  const source = made({
    build: () => {
      builds += 1
      return undefined
    },
  })
  expect(source.copyIn(at)).toBeUndefined()
  source.set(undefined)
  expect(source.current).toBeUndefined()
  expect(source.copyIn(at)).toBeUndefined()
  expect(builds).toBe(1)
})
