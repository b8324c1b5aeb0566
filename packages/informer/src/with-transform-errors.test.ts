import { projector } from '@wherry/client/internal'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { TransformError } from './errors.ts'
import { withTransformErrors } from './with-transform-errors.ts'

const cause = new Error('odd')

it('R30: gives what the projection gives, and its error with view and key', () => {
  const view = configMaps.within({ labels: 'app' }).project('n', ({ data }) => {
    if (data?.n === '1') throw cause
    return data?.n
  })
  const project = projector(withTransformErrors(view))
  const metadata = { name: 'x', namespace: 'a' }
  expect(project({ metadata, data: { n: '2' } })).toBe('2')
  expect(() => project({ metadata, data: { n: '1' } })).toThrow(new TransformError(view.key, 'a/x', cause))
  const { key, namespaces: within, labels } = withTransformErrors(view)
  expect([key, within, labels.text]).toEqual([view.key, undefined, 'app'])
})

it('R30: knows objects of no namespace, and values that are no objects', () => {
  const view = namespaces.project('never', () => {
    throw cause
  })
  const project = projector(withTransformErrors(view))
  expect(() => project({ metadata: { name: 'x' } })).toThrow(new TransformError(view.key, 'x', cause))
  expect(() => project({})).toThrow(TransformError)
})

it('R30: takes undefined and a promise for failures, as a cache does', () => {
  for (const value of [undefined, Promise.reject(cause)]) {
    const project = projector(withTransformErrors(configMaps.project('none', () => value)))
    expect(() => project({ metadata: { name: 'x', namespace: 'a' } })).toThrow(TransformError)
  }
})

it('leaves alone what has no projection that throws', () => {
  for (const view of [configMaps, configMaps.full(), configMaps.metadata(), configMaps.exact()]) {
    expect(withTransformErrors<unknown, 'namespaced'>(view)).toBe(view)
  }
})
