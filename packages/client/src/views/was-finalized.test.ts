import { expect, it } from 'vitest'
import { wasFinalized } from './was-finalized.ts'

it('A8, C10: an object is gone by an answer that says that nothing keeps it any more', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const of = (metadata: object): boolean => wasFinalized({ metadata: { name: 'x', namespace: 'a', ...metadata } })
  expect(of({ deletionTimestamp })).toBe(true)
  expect(of({ deletionTimestamp, finalizers: [], deletionGracePeriodSeconds: 0 })).toBe(true)
  expect(of({})).toBe(false)
  expect(of({ deletionTimestamp, finalizers: ['example.com/f'] })).toBe(false)
  expect(of({ deletionTimestamp, deletionGracePeriodSeconds: 30 })).toBe(false)
  expect([wasFinalized({}), wasFinalized({ metadata: {} })]).toEqual([false, false])
  // What keeps a namespace is said elsewhere.
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x', deletionTimestamp } }
  const kept = { ...namespace, spec: { finalizers: ['kubernetes'] } }
  expect([wasFinalized(kept), wasFinalized(namespace)]).toEqual([false, true])
})
