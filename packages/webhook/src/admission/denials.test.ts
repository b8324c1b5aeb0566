import { expect, it } from 'vitest'
import type { CommonContext, DenyOptions } from '../handler/context.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { requestOf } from '../testkit/request.ts'
import type { AdmissionAnswer } from './answer.ts'

/** The answer to a request by a handler, and the messages of what it threw. */
async function answerOf(
  handler: (context: CommonContext) => void,
): Promise<{ readonly answer: AdmissionAnswer; readonly thrown: readonly string[] }> {
  let answer: AdmissionAnswer | undefined
  let thrown: string[] = []
  await inMemory(async ({ webhooks, simulation }) => {
    webhooks.webhook('limits').for(games).validate(handler)
    answer = await webhooks.review('limits', requestOf())
    thrown = simulation.environment.errors.map(({ error }) => error.message)
  })
  return { answer: answer as AdmissionAnswer, thrown }
}

it.each([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [418, undefined],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
  [599, undefined],
])('B1: a denial of the code %i has the reason that clients know it by: %s', async (code, reason) => {
  const { answer } = await answerOf(({ deny }) => deny('no', { code }))
  expect(answer.status).toEqual({
    code,
    message: 'no',
    ...(reason && { reason }),
    details: { causes: [{ message: 'no' }] },
  })
})

it('B1: the code of the first denial counts, also if that is the default', async () => {
  const codes = async (...given: (DenyOptions | undefined)[]): Promise<unknown> => {
    const { answer } = await answerOf(({ deny }) => {
      for (const options of given) deny('no', options)
    })
    return [answer.status?.code, answer.status?.message]
  }
  expect(await codes({ code: 409 }, { code: 422 })).toEqual([409, 'no; no'])
  expect(await codes(undefined, { code: 422, field: 'spec' })).toEqual([403, 'no; spec: no'])
})

it.each<[why: string, handler: (context: CommonContext) => void]>([
  ['deny.message takes a text, got number', ({ deny }) => deny(5 as never)],
  ['deny.message takes a text that says why, got an empty text', ({ deny }) => deny(' \n')],
  ['deny.code takes a whole number from 400 to 599, got 399', ({ deny }) => deny('no', { code: 399 })],
  ['deny.code takes a whole number from 400 to 599, got 600', ({ deny }) => deny('no', { code: 600 })],
  ['deny.field takes', ({ deny }) => deny('no', { field: 5 as never })],
  ['deny.path is an unknown option', ({ deny }) => deny('no', { path: 'spec' } as never)],
  ['warn.message takes a text, got undefined', ({ warn }) => warn(undefined as never)],
  ['warn.message takes a text that says why, got an empty text', ({ warn }) => warn('')],
])('X6: a call that means nothing throws: %s', async (why, handler) => {
  const { answer, thrown } = await answerOf(handler)
  expect(thrown).toEqual([expect.stringContaining(why)])
  expect([answer.status?.code, answer.warnings]).toEqual([500, []])
})
