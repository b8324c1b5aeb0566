import type { KubernetesObject } from '@wherry/client'
import { expect, it } from 'vitest'
import { type OwnedFields, ownedFields } from './judge.ts'
import { ServerNormalized } from './server-normalized.ts'

const desired = (namespace: string, value = 'sent'): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data: { value } }) as never
const owned: OwnedFields = { apiVersion: 'v1', fields: '{"f:data":{"f:value":{}}}', digest: 'stored', owners: '' }

it('A2: counts in the namespace in which it was learned, and for the desired state that it was learned of', () => {
  const normalized = new ServerNormalized()
  normalized.learn(desired('n1'), owned)
  expect(normalized.knows(desired('n1'), owned)).toBe(true)
  // A webhook for n1 only: in n2 somebody wrote the value that it makes.
  expect(normalized.knows(desired('n2'), owned)).toBe(false)
  expect(normalized.knows(desired('n1', 'other'), owned)).toBe(false)
})

it('A12: a status that is stored as it was sent is not learned, whatever its times', () => {
  const times = new Set(['lastProbeTime'])
  const status = { phase: 'Up', lastProbeTime: '2026-01-01T00:00:00Z' }
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n1' }, status } as KubernetesObject
  const fieldsV1 = { 'f:status': { 'f:phase': {}, 'f:lastProbeTime': {} } }
  const entry = { manager: 'us', operation: 'Apply', apiVersion: 'v1', subresource: 'status', fieldsV1 }
  const stored = { ...sent, metadata: { ...sent.metadata, managedFields: [entry] } } as KubernetesObject
  const kept = ownedFields(stored, 'us', 'status', times)
  const normalized = new ServerNormalized()
  normalized.learn(sent, kept, times)
  expect([kept?.fields !== '', normalized.knows(sent, kept)]).toEqual([true, false])
})

it('H6: counts everywhere for copies of one source', () => {
  const normalized = new ServerNormalized(true)
  normalized.learn(desired('n1'), owned)
  expect(normalized.knows(desired('n2'), owned)).toBe(true)
})
