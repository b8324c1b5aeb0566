import { systemEnvironment } from '@wherry/client/internal'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { levelConversion, levels, levelsV1beta1 } from '../testkit/conversion/levels.ts'
import { answerConversion, deadlineMs } from './answer.ts'
import { Conversion } from './conversion.ts'

const old = (name: string, spec: object): object => ({
  apiVersion: 'arcade.example.com/v1beta1',
  kind: 'Level',
  metadata: { name, namespace: 'default' },
  spec,
})
const review = (objects: unknown, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion: 'arcade.example.com/v1', objects },
    ...more,
  })

/** What was answered, and what the operator said. */
async function answered(body: string, conversion: Conversion<never> = levelConversion() as Conversion<never>) {
  const said: unknown[] = []
  const environment = {
    ...systemEnvironment(),
    onError: (error: Error, context: object) => void said.push([error.message, context, error.cause]),
    log: (_level: string, message: string, fields?: object) => void said.push([message, fields]),
    metrics: { count: (name: string, labels?: object) => void said.push([name, labels]), observe() {}, gauge() {} },
  }
  const answer = await answerConversion(conversion, Buffer.from(body), environment)
  return { answer: 'review' in answer ? JSON.parse(answer.review) : answer, said }
}

describe('the answer to a ConversionReview', () => {
  it('B4: has all objects in their order', async () => {
    const objects = [old('a', { size: '1' }), old('b', {}), old('c', { size: '3' })]
    const { answer, said } = await answered(review(objects))
    expect(answer.response).toMatchObject({ uid: 'u', result: { status: 'Success' } })
    expect(answer.response.convertedObjects.map(({ spec }: { spec: object }) => spec)).toEqual([
      { board: { size: 1 } },
      {},
      { board: { size: 3 } },
    ])
    expect(said).toEqual([])
  })

  it('B4: names up to five objects that can not be converted, to the client and to the operator', async () => {
    const objects = Array.from({ length: 9 }, (_, at) =>
      old(`l${at}`, { word: at % 4 === 1 ? 'throws' : at > 1 ? 'bad' : 'w' }),
    )
    const { answer, said } = await answered(review(objects))
    expect(answer.response).toEqual({
      uid: 'u',
      convertedObjects: [],
      result: { status: 'Failure', message: expect.any(String) },
    })
    const { message } = answer.response.result
    expect(message).toMatch(
      /^8 of 9 objects of Level can't be converted to arcade.example.com\/v1: default\/l1: its converter/,
    )
    expect(message).toMatch(/default\/l2: spec.word: bad has no counterpart; .*; and 3 more$/)
    expect(message).not.toContain('hunter2')
    const counted = said.filter(line => (line as unknown[])[0] === 'wherry_webhook_failures_total')
    expect(counted).toHaveLength(8)
    expect(counted[0]).toEqual([
      'wherry_webhook_failures_total',
      { webhook: 'convert/levels.arcade.example.com', reason: 'thrown' },
    ])
    const context = { phase: 'conversion/levels.arcade.example.com', resource: levels.key, key: 'default/l1' }
    expect(said[8]).toEqual([expect.stringContaining('threw TypeError'), context, new TypeError('a secret: hunter2')])
    expect(said.slice(8)).toHaveLength(6)
    expect(said.at(-1)).toEqual([
      "objects can't be converted",
      expect.objectContaining({ count: 8, key: 'default/l1' }),
    ])
  })

  it('B4: refuses an integer that JavaScript would round, and takes one that it keeps', async () => {
    const text = review([old('a', { size: '1' }), old('b', { board: [{ at: 'N' }] })])
    const of = async (number: string): Promise<unknown> =>
      (await answered(text.replace('"N"', number))).answer.response.result
    expect(await of('9007199254740993')).toMatchObject({
      message: expect.stringContaining('default/b: /spec/board/0/at is 9007199254740993, which JavaScript would round'),
    })
    expect(await of('-1234567890123456789')).toMatchObject({ status: 'Failure' })
    expect(await of('9007199254740992')).toEqual({ status: 'Success' })
    expect(await of('"9007199254740993"')).toEqual({ status: 'Success' })
    expect(await of('1234567890123456.5')).toEqual({ status: 'Success' })
  })

  it.each([
    ['no JSON', '{', 'the body is not JSON'],
    ['no request', review([], { request: 1 }), 'no ConversionReview'],
    ['no uid', review([], { request: { objects: [], desiredAPIVersion: 'a/v1' } }), 'a wrong uid or desiredAPIVersion'],
    ['objects that are none', review([1]), 'objects that are none'],
    [
      'a review of another version',
      review([], { apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      'conversionReviewVersions',
    ],
  ])('names the problem of a body that has %s', async (_what, body, expected) => {
    expect((await answered(body)).answer.badRequest).toContain(expected)
  })

  it('B4: names a version, a group and a kind that are not declared', async () => {
    const to = (desiredAPIVersion: string): string =>
      review([], { request: { uid: 'u', desiredAPIVersion, objects: [old('a', {})] } })
    const said = async (body: string): Promise<string> => (await answered(body)).answer.response.result.message
    expect(await said(to('arcade.example.com/v9'))).toContain('no conversion of "arcade.example.com/v9"')
    expect(await said(to('other.example.com/v1'))).toContain('no conversion to "other.example.com/v1"')
    expect(await said(review([{ ...old('a', {}), kind: 'Game' }]))).toContain('default/a: it is a "Game" and no Level')
  })

  it('B4: comes in time, whatever a converter does, and names the object', async () => {
    const simulation = simulate(1)
    let signal: AbortSignal | undefined
    const slow = new Conversion(levels).version(levelsV1beta1, {
      toHub: ({ metadata }, context) => {
        signal = context.signal
        return metadata.name === 'slow' ? new Promise(() => {}) : {}
      },
      fromHub: () => ({}),
    })
    await simulation.run(async () => {
      const body = Buffer.from(review([old('fast', {}), old('slow', {})]))
      const pending = answerConversion(slow as Conversion<never>, body, simulation.environment)
      await simulation.advance(deadlineMs)
      const { review: text } = (await pending) as { review: string }
      expect(JSON.parse(text).response.result.message).toContain(
        `1 of 2 objects of Level can't be converted to arcade.example.com/v1: default/slow: deadline exceeded`,
      )
    })
    expect(signal?.aborted).toBe(true)
  })
})

it('B4: reports the error of a conversion of another copy of this package as its own', async () => {
  const parts = { code: 'UNCONVERTIBLE', key: 'default/a', path: 'spec.word', why: 'bad has no counterpart' }
  const error = Object.assign(new Error('default/a: bad has no counterpart'), { name: 'ConversionError', ...parts })
  const { hub, name, versions } = levelConversion()
  const other = { hub, name, versions, convert: () => Promise.reject(error) } as unknown as Conversion<never>
  const { answer, said } = await answered(review([old('a', {})]), other)
  expect(answer.response.result.message).toMatch(/: default\/a: bad has no counterpart$/)
  expect(said[0]).toEqual(['wherry_webhook_failures_total', expect.objectContaining({ reason: 'unconvertible' })])
})
