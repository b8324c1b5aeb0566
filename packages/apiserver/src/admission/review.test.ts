import type { JsonObject } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import type { ResourceType } from '../resources/resource-type.ts'
import { type Attributes, callFailed, denied, kindOf, labelsOf, readVerdict, reviewRequest } from './review.ts'

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' } as ResourceType
const asked: Attributes = {
  type: pods,
  kind: { group: '', version: 'v1', kind: 'Pod' },
  operation: 'CREATE',
  name: 'a',
  namespace: 'n',
  subresource: '',
  user: { name: 'ann', groups: [] },
  object: { x: 1 },
  oldObject: undefined,
  dryRun: false,
  options: { kind: 'CreateOptions' },
}

describe('the request of an AdmissionReview', () => {
  it('names the user, the operation and the object', () => {
    expect(reviewRequest(asked, pods)).toEqual({
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      name: 'a',
      namespace: 'n',
      operation: 'CREATE',
      userInfo: { username: 'ann' },
      object: { x: 1 },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions' },
    })
  })

  it('names a subresource, a user and another version in full, and leaves out what there is none of', () => {
    const user = { name: 'ann', uid: 'u', groups: ['g'], extra: { scope: ['s'] } }
    const request = reviewRequest(
      { ...asked, user, name: '', namespace: '', subresource: 'status' },
      { ...pods, version: 'v2' },
    )
    expect(request).toMatchObject({
      kind: { version: 'v2' },
      resource: { version: 'v2' },
      requestKind: { version: 'v1' },
      requestResource: { version: 'v1' },
      subResource: 'status',
      requestSubResource: 'status',
      userInfo: { username: 'ann', uid: 'u', groups: ['g'], extra: { scope: ['s'] } },
    })
    expect(request).not.toHaveProperty('name')
    expect(request).not.toHaveProperty('namespace')
    expect(reviewRequest(asked, pods)).not.toHaveProperty('subResource')
  })

  it('names the kind that is written', () => {
    expect(kindOf(pods, '')).toEqual({ group: '', version: 'v1', kind: 'Pod' })
    expect(kindOf(pods, 'status').kind).toBe('Pod')
    expect(kindOf(pods, 'scale')).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' })
    expect(kindOf(pods, 'eviction')).toEqual({ group: 'policy', version: 'v1', kind: 'Eviction' })
  })
})

describe('the response of an AdmissionReview', () => {
  const read = (response: JsonObject | undefined, mutating = true, version = 'v1', more: JsonObject = {}): unknown => {
    const review: JsonObject = { apiVersion: `admission.k8s.io/${version}`, kind: 'AdmissionReview', ...more }
    if (response !== undefined) review.response = response
    return readVerdict({ review }, 'id', version, mutating)
  }
  const patch = Buffer.from('[]').toString('base64')

  it('allows or does not, with warnings, a patch and a status', () => {
    expect(read({ uid: 'id', allowed: true })).toMatchObject({ allowed: true, warnings: [], patch: undefined })
    expect(read({ uid: 'id' })).toMatchObject({ allowed: false })
    expect(read({ uid: 'id', allowed: 'true' })).toMatchObject({ allowed: false })
    const whole = { uid: 'id', allowed: true, warnings: ['w'], patch, patchType: 'JSONPatch', status: { message: 'm' } }
    expect(read(whole)).toEqual({
      allowed: true,
      warnings: ['w'],
      patch: '[]',
      patchType: 'JSONPatch',
      result: { message: 'm' },
    })
  })

  it.for([
    [undefined, true, 'webhook response was absent'],
    [{ uid: 'x' }, true, 'expected response.uid="id", got "x"'],
    [{}, true, 'expected response.uid="id", got ""'],
    [{ uid: 'id', patch }, true, 'webhook returned response.patch but not response.patchType'],
    [{ uid: 'id', patchType: 'JSONPatch' }, true, 'webhook returned response.patchType but not response.patch'],
    [{ uid: 'id', patch }, false, 'validating webhook may not return response.patch'],
    [{ uid: 'id', patchType: 'JSONPatch' }, false, 'validating webhook may not return response.patchType'],
  ] as const)('%o is refused', ([response, mutating, why]) => {
    expect(read(response, mutating)).toBe(`received invalid webhook response: ${why}`)
  })

  it('of another kind is refused, and of the older version is not looked at', () => {
    expect(read({ uid: 'id' }, true, 'v1', { apiVersion: 'v1', kind: 'Pod' })).toBe(
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /v1, Kind=Pod',
    )
    const old = read({ uid: 'x', allowed: true, patch }, true, 'v1beta1', { kind: 'Pod' })
    expect(old).toMatchObject({ allowed: true, patch: '[]', patchType: 'JSONPatch' })
    expect(readVerdict({ failure: 'closed' }, 'id', 'v1', true)).toBe('failed to call webhook: closed')
  })
})

describe('the refusals of webhooks', () => {
  it.for([
    [undefined, 400, '', 'denied the request without explanation'],
    [{ message: 'm', reason: 'R' }, 400, 'R', 'denied the request: m'],
    [{ reason: 'R', code: 200 }, 400, 'R', 'denied the request: R'],
    [{ message: 'm', code: 418 }, 418, '', 'denied the request: m'],
  ] as const)('%o', ([result, code, reason, message]) => {
    const refusal = denied('a.b.c', result as JsonObject | undefined)
    expect(refusal).toMatchObject({ code, reason, message: `admission webhook "a.b.c" ${message}`, details: undefined })
  })

  it('keep details, and say why the call of a webhook failed', () => {
    expect(denied('a', { details: { name: 'x' } }).details).toEqual({ name: 'x' })
    expect(callFailed('a', 'closed').toStatus()).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: failed calling webhook "a": closed',
      details: { causes: [{ message: 'failed calling webhook "a": closed' }] },
    })
    expect(labelsOf(undefined)).toBeUndefined()
    expect(labelsOf({})).toBeUndefined()
    expect(labelsOf({ metadata: { labels: { a: 'b' } } })).toEqual({ a: 'b' })
  })
})
