import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { WebhookDefinition } from '../declaration/definition.ts'
import type { CommonContext } from '../handler/context.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { requestOf } from '../testkit/request.ts'
import { answerReview } from './review.ts'

const definition: WebhookDefinition = {
  ...{ name: 'a', type: 'validating', view: games, subResource: undefined, operations: ['CREATE'], updates: 'all' },
  ...{ when: undefined, reads: [], failurePolicy: 'Fail', timeoutSeconds: 5, reinvocation: 'Never' },
  handler: () => undefined,
}
const frame = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
const review = { ...frame, request: requestOf() }

/** Answers a text, with an operator that is not run. */
async function answers(texts: readonly string[], of: Partial<WebhookDefinition> = {}): Promise<unknown[]> {
  const said: unknown[] = []
  await inMemory(async ({ operator, client }) => {
    const parts = { environment: client.environment, cache: operator.cache }
    for (const text of texts) {
      const one = await answerReview({ ...definition, ...of }, Buffer.from(text), parts)
      said.push('review' in one ? JSON.parse(one.review) : one.badRequest)
    }
  })
  return said
}

it('B1: a review of v1 is answered in one of the same uid, and one of another version with an error', async () => {
  const old = { ...review, apiVersion: 'admission.k8s.io/v1beta1' }
  const other = { ...review, kind: 'ConversionReview' }
  const message =
    'this webhook takes an AdmissionReview of admission.k8s.io/v1 only: set admissionReviewVersions to ["v1"]'
  const refused = { uid: 'a-request', allowed: false, status: { code: 400, reason: 'BadRequest', message } }
  expect(await answers([review, old, other].map(one => JSON.stringify(one)))).toEqual([
    { ...frame, response: { uid: 'a-request', allowed: true } },
    { ...frame, response: refused },
    { ...frame, response: refused },
  ])
})

it('B1: an answer has what the handler says: warnings, a patch in base64, the reasons of a refusal', async () => {
  const texts = [JSON.stringify(review)]
  const mutates = (context: CommonContext): void => {
    context.warn('careful')
    Object.assign((context as unknown as { draft: object }).draft, { data: 'ä' })
  }
  const [mutated] = (await answers(texts, { type: 'mutating', handler: mutates })) as [
    { response: { patch: string; warnings: unknown; patchType: unknown } },
  ]
  const { patch, ...rest } = mutated.response
  expect(rest).toEqual({ uid: 'a-request', allowed: true, warnings: ['careful'], patchType: 'JSONPatch' })
  expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([{ op: 'add', path: '/data', value: 'ä' }])
  const [denied] = await answers(texts, { handler: ({ deny }) => deny('no', { field: 'spec' }) })
  const causes = [{ message: 'no', field: 'spec' }]
  const status = { code: 403, message: 'spec: no', reason: 'Forbidden', details: { causes } }
  expect(denied).toEqual({ ...frame, response: { uid: 'a-request', allowed: false, status } })
})

it.each<[wrong: string, changes: object]>([
  ...['operation', 'name', 'namespace', 'subResource'].map((one): [string, object] => [one, { [one]: 5 }]),
  ...['object', 'oldObject', 'options', 'userInfo'].map((one): [string, object] => [one, { [one]: 'x' }]),
  ...['object', 'oldObject', 'options', 'userInfo'].map((one): [string, object] => [one, { [one]: [] }]),
  ['userInfo', { userInfo: null }],
  ['resource', { resource: undefined }],
  ['resource', { resource: 'games' }],
  ['userInfo.groups', { userInfo: { groups: 'players' } }],
  ['name, object, resource, userInfo.groups', { name: 1, object: 1, resource: null, userInfo: { groups: {} } }],
])('B1: a request with a wrong field is refused with its name: %s', async (wrong, changes) => {
  const ran = (): void => expect.unreachable('the handler ran')
  const texts = [JSON.stringify({ ...review, request: { ...review.request, ...changes } })]
  const message = `the request of the AdmissionReview has a wrong ${wrong}`
  expect(await answers(texts, { handler: ran })).toEqual([
    {
      ...frame,
      response: { uid: 'a-request', allowed: false, status: { code: 400, reason: 'BadRequest', message } },
    },
  ])
})

it('B1: fields that a request may lack are not wrong', async () => {
  const { resource, operation, object } = review.request
  const none = { name: undefined, namespace: undefined, subResource: undefined, oldObject: undefined }
  const requests = [
    { ...review.request, ...none, options: undefined, userInfo: undefined },
    { ...review.request, options: null, userInfo: {} },
    { uid: 'a-request', resource, operation, object },
  ]
  const texts = requests.map(request => JSON.stringify({ ...review, request }))
  for (const one of await answers(texts)) expect(one).toMatchObject({ response: { allowed: true } })
})

it('B1: a uid of 128 characters is repeated, and a longer one makes a bad request', async () => {
  const texts = [128, 129].map(length => JSON.stringify({ ...review, request: requestOf({ uid: 'u'.repeat(length) }) }))
  expect(await answers(texts)).toEqual([
    { ...frame, response: { uid: 'u'.repeat(128), allowed: true } },
    'the body is no AdmissionReview with a request',
  ])
})

it('B1: a body that is no review is a bad request, whatever it is', async () => {
  expect(await answers(['', '{', 'null', '[]', '{"request":{"uid":1}}'])).toEqual([
    ...['the body is not JSON', 'the body is not JSON'],
    ...Array.from({ length: 3 }, () => 'the body is no AdmissionReview with a request'),
  ])
  const part = fc.oneof(fc.jsonValue(), fc.constant(undefined))
  const fields = [
    'operation',
    'name',
    'namespace',
    'subResource',
    'object',
    'oldObject',
    'options',
    'userInfo',
    'resource',
  ]
  const request = fc.record(Object.fromEntries(fields.map(field => [field, part])))
  const texts = fc
    .sample(request, { numRuns: 200, seed: 7 })
    .map(one => JSON.stringify({ ...review, request: { ...one, uid: 'x' } }))
  for (const one of await answers(texts)) expect(one).toMatchObject({ response: { uid: 'x', allowed: false } })
})
