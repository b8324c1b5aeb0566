import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { WebhookDefinition } from '../declaration/definition.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { requestOf } from '../testkit/request.ts'
import { answerReview } from './review.ts'

const definition: WebhookDefinition = {
  ...{ name: 'a', type: 'validating', view: games, subResource: undefined, operations: ['CREATE'], updates: 'all' },
  ...{ when: undefined, reads: [], failurePolicy: 'Fail', timeoutSeconds: 5, reinvocation: 'Never' },
  handler: () => undefined,
}
const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: requestOf() }

/** Answers a text, with an operator that is not run. */
async function answers(texts: readonly string[]): Promise<unknown[]> {
  const said: unknown[] = []
  await inMemory(async ({ operator, client }) => {
    const parts = { environment: client.environment, cache: operator.cache }
    for (const text of texts) {
      const one = await answerReview(definition, Buffer.from(text), parts)
      said.push('review' in one ? JSON.parse(one.review) : one.badRequest)
    }
  })
  return said
}

it('B1: a review of v1 is answered in one of the same uid, and one of another version with an error', async () => {
  const old = { ...review, apiVersion: 'admission.k8s.io/v1beta1' }
  const { request: _, ...frame } = review
  expect(await answers([review, old].map(one => JSON.stringify(one)))).toEqual([
    { ...frame, response: { uid: 'a-request', allowed: true } },
    {
      ...frame,
      response: {
        uid: 'a-request',
        allowed: false,
        status: { code: 400, reason: 'BadRequest', message: expect.stringContaining('of admission.k8s.io/v1 only') },
      },
    },
  ])
})

it('B1: what is no review is a bad request, whatever it is', async () => {
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
