import { expect, it } from 'vitest'
import { missingRight } from './missing-right.ts'

const answer = (status: number, message: string): Error => Object.assign(new Error(message), { status })

it.each([
  'secrets "key" is forbidden: User "jane" cannot watch resource "secrets" in API group "" in the namespace "a"',
  'GET /api/v1/namespaces/a/secrets: 403 Forbidden: secrets "key" is forbidden: the user cannot watch it',
  'forbidden: User "jane" cannot get path "/metrics"',
  'configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on',
  'roles "a" is forbidden: user "jane" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{…}',
])('a right is missing: %s', message => {
  const found = missingRight(new Error('the read failed', { cause: answer(403, message) }))
  expect(found?.message).toContain(`${message}\n`)
})

const circular = new Error('a circle')
circular.cause = circular

it.each([
  answer(403, 'admission webhook "limits.example.com" denied the request: too many'),
  answer(403, 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
  answer(
    403,
    'configmaps "a" is forbidden: unable to create new content in namespace a because it is being terminated',
  ),
  answer(404, 'User "jane" cannot get resource "secrets"'),
  new Error('User "jane" cannot get resource "secrets"'),
  circular,
  'text',
])('no right is missing: %s', error => {
  expect(missingRight(error)).toBeUndefined()
})
