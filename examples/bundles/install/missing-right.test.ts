import { ApiError } from '@wherry/client'
import { expect, it } from 'vitest'
import { missingRight } from './missing-right.ts'

const refused = (message: string, status = 403): Error =>
  new ApiError({ status, message }, { method: 'PATCH', path: '/x' })
const account = 'system:serviceaccount:bundles:bundles'

it.each([
  [
    `monitors.example.com is forbidden: User "${account}" cannot patch resource "monitors" in API group "example.com" in the namespace "chess-home"`,
    'the service account bundles/bundles lacks patch of monitors.example.com in the namespace chess-home: add it to a role of the account',
  ],
  [
    'services "a" is forbidden: User "jane" cannot create resource "services" in API group "" at the cluster scope',
    'the user jane lacks create of services: add it to a role of the account',
  ],
  [
    `clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "${account}" (groups=["a" "b"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:["batch"], Resources:["jobs" "cronjobs"], Verbs:["create"]}
{NonResourceURLs:["/metrics"], Verbs:["get"]}`,
    'it grants create of jobs.batch, cronjobs.batch and 1 more, which the service account bundles/bundles lacks: add that to a role of the account',
  ],
  [
    'roles "x" is forbidden: user "jane" (groups=["a"]) is attempting to grant RBAC permissions not currently held:\n{NonResourceURLs:["/metrics"], Verbs:["get" "post"]}',
    'it grants get, post of /metrics, which the user jane lacks: add that to a role of the account',
  ],
  [
    'roles "x" is forbidden: user "jane" (groups=["a"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["*"]}',
    'it grants * of secrets called a, which the user jane lacks: add that to a role of the account',
  ],
])('names the right that is missing: %s', (message, expected) => {
  expect(missingRight(refused(message))).toBe(expected)
})

it('says nothing of a refusal about something else', () => {
  expect(missingRight(refused('pods "a" is forbidden: exceeded quota: small'))).toBeUndefined()
  expect(missingRight(refused('User "a" cannot get resource "b" in API group ""', 422))).toBeUndefined()
  expect(missingRight(new Error('x'))).toBeUndefined()
})
