import type { KubernetesObject } from '@wherry/client'
import { expect, it } from 'vitest'
import type { OwnedFields } from './judge.ts'
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

it('H6: counts everywhere for copies of one source', () => {
  const normalized = new ServerNormalized(true)
  normalized.learn(desired('n1'), owned)
  expect(normalized.knows(desired('n2'), owned)).toBe(true)
})
