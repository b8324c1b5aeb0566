import type { Environment, LogFields, MetricLabels } from '@wherry/client'
import { configMaps, nodes, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { NamedWebhook } from '../declaration/builder.ts'
import type { CommonContext } from '../handler/context.ts'
import type { AdmissionRequest } from '../handler/request.ts'
import { games } from '../testkit/games.ts'
import { type InMemory, inMemory } from '../testkit/in-memory.ts'
import { gameOf, requestOf } from '../testkit/request.ts'
import type { AdmissionAnswer } from './answer.ts'

/** What an operator says of its webhooks: counted failures, and lines of its log. */
interface Said {
  readonly counted: (MetricLabels | undefined)[]
  readonly log: [message: string, fields: LogFields | undefined, level: string][]
}

/** Runs a test with webhooks that write down their reports. */
async function listening(body: (parts: InMemory & Said) => Promise<void>): Promise<void> {
  const counted: Said['counted'] = []
  const log: Said['log'] = []
  const metrics: Environment['metrics'] = {
    count: (name, labels) => void (name === 'wherry_webhook_failures_total' && counted.push(labels)),
    observe: () => {},
    gauge: () => {},
  }
  const own: Partial<Environment> = {
    metrics,
    log: (level, message, fields) => void (message.startsWith('the webhook ') && log.push([message, fields, level])),
  }
  await inMemory(parts => body({ ...parts, counted, log }), own)
}

class OddError extends Error {}
const withoutName = (() => class extends Error {})()
/** An error of a class with a name that is no plain word, or is too long to show. */
const named = (name: string): Error => new (Object.defineProperty(class extends Error {}, 'name', { value: name }))()
const logSays = (what: string): string =>
  `its handler threw ${what}; the log of the operator says why (request a-request)`

describe('B1: a handler that gives no answer', () => {
  const cases: [reason: string, code: number, why: string, handler: (context: CommonContext) => unknown][] = [
    ['thrown', 500, logSays('OddError'), () => Promise.reject(new OddError('x'))],
    ['thrown', 500, logSays('something'), () => Promise.reject('a text')],
    ['thrown', 500, logSays('something'), () => Promise.reject(new withoutName('x'))],
    ['thrown', 500, logSays('something'), () => Promise.reject(named('Bad\nname'))],
    ['thrown', 500, logSays('something'), () => Promise.reject(named('badName'))],
    ['thrown', 500, logSays('something'), () => Promise.reject(named('B'.repeat(65)))],
    ['thrown', 500, logSays('B'.repeat(64)), () => Promise.reject(named('B'.repeat(64)))],
    ['deadline', 504, 'the handler did not end within 4000 ms', () => new Promise(() => {})],
    [
      ...(['invalid_answer', 500] as const),
      'the handler returned a value, which has no meaning: call deny to refuse, and change the draft',
      () => false,
    ],
    [
      ...(['not_in_cache', 500] as const),
      "/v1/configmaps can't be read from the cache: no informer has it: declare it with .reads(view)",
      async ({ read }) => void (await read.get(configMaps, { name: 'limits' })),
    ],
  ]

  it.each(cases)('is counted, logged and reported once, for its reason: %s, %i, %s', async (reason, code, why, run) => {
    await listening(async ({ webhooks, counted, log, simulation }) => {
      webhooks
        .webhook('limits')
        .for(games)
        .reads(secrets)
        .validate(run as () => void)
      const { allowed, status } = await webhooks.review('limits', requestOf())
      expect([allowed, status?.code, status?.message]).toEqual([false, code, `the webhook limits failed: ${why}`])
      expect(counted).toEqual([{ webhook: 'limits', reason }])
      const key = 'default/chess'
      expect(log).toEqual([['the webhook limits failed', { webhook: 'limits', request: 'a-request', key }, 'warn']])
      expect(simulation.environment.errors.map(({ context }) => context)).toEqual([
        { phase: 'admission/limits', resource: games.key, key },
      ])
    })
  })

  it('is reported by its code: a value that it returned has no path', () =>
    listening(async ({ webhooks, simulation }) => {
      webhooks
        .webhook('limits')
        .for(games)
        .validate((() => 1) as never)
      await webhooks.review('limits', requestOf())
      expect(simulation.environment.errors[0]?.error).toMatchObject({ code: 'RETURNED_VALUE', path: '' })
    }))

  it('is reported with what it threw, under the key of its object as far as that has one', () =>
    listening(async ({ webhooks, simulation }) => {
      webhooks
        .webhook('nodes')
        .for(nodes)
        .validate(() => {
          throw 'no reason'
        })
      const resource = { group: '', version: 'v1', resource: 'nodes' }
      for (const name of ['n1', '']) await webhooks.review('nodes', requestOf({ resource, name, namespace: '' }))
      const common = { phase: 'admission/nodes', resource: nodes.key }
      expect(simulation.environment.errors.map(({ context }) => context)).toEqual([{ ...common, key: 'n1' }, common])
      const message = 'the webhook nodes failed: "no reason"'
      expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual([message, message])
    }))

  it('is reported also if it has denied the request before, and the denial is the answer', () =>
    listening(async ({ webhooks, counted }) => {
      webhooks
        .webhook('denies')
        .for(games)
        .validate(({ deny, warn }) => {
          warn('careful')
          deny('no')
          throw new Error('later')
        })
      const answer = await webhooks.review('denies', requestOf())
      expect([answer.allowed, answer.warnings, answer.status?.message]).toEqual([false, ['careful'], 'no'])
      expect(counted).toEqual([{ webhook: 'denies', reason: 'thrown' }])
    }))

  it.each(['Fail', 'Ignore'] as const)('keeps the warnings that it gave before, with failurePolicy %s', policy =>
    listening(async ({ webhooks }) => {
      webhooks
        .webhook('limits')
        .for(games)
        .failurePolicy(policy)
        .validate(({ warn }) => {
          warn('careful')
          throw new OddError('x')
        })
      const message = `the webhook limits failed: ${logSays('OddError')}`
      const { allowed, warnings, status } = await webhooks.review('limits', requestOf())
      expect([allowed, warnings, status?.message]).toEqual(
        policy === 'Fail'
          ? [false, ['careful'], message]
          : [true, ['careful', `${message} (the request passes, as failurePolicy Ignore says)`], undefined],
      )
    }),
  )
})

describe('B1: a request that is not for its webhook', () => {
  const of = (group: string, version: string, resource: string, subResource?: string): Partial<AdmissionRequest> => ({
    resource: { group, version, resource },
    subResource,
  })
  const group = 'arcade.example.com'
  const operations = ['CREATE', 'UPDATE', 'DELETE'] as const
  const forGames = (named: NamedWebhook): { validate(handler: () => void): unknown } => named.for(games, { operations })
  const forStatus = (named: NamedWebhook): { validate(handler: () => void): unknown } => named.forStatus(games)
  const again = "apply the operator's webhook configuration again"
  const other = (declared: string, asked: string): string =>
    `it reviews ${declared}, and was asked about ${asked}: ${again}`
  const mine = `${group}/v1/games`
  const cases: [title: string, typeof forGames, Partial<AdmissionRequest>, why: string][] = [
    ['another group', forGames, of('example.com', 'v1', 'games'), other(mine, 'example.com/v1/games')],
    ['another version', forGames, of(group, 'v2', 'games'), other(mine, `${group}/v2/games`)],
    ['another resource', forGames, of(group, 'v1', 'scores'), other(mine, `${group}/v1/scores`)],
    ['the core group', forGames, of('', 'v1', 'pods'), other(mine, 'v1/pods')],
    ['a subresource', forGames, of(group, 'v1', 'games', 'scale'), other(mine, `${mine}/scale`)],
    ['no subresource', forStatus, { operation: 'UPDATE' }, other(`${mine}/status`, mine)],
    ['an operation', forStatus, { subResource: 'status' }, `it is not declared for CREATE: ${again}`],
    ['no object', forGames, { object: null }, 'the CREATE request lacks an object'],
    ['no old object', forGames, { operation: 'UPDATE' }, 'the UPDATE request lacks an object'],
    [
      ...(['no new object', forGames] as const),
      { operation: 'UPDATE', object: null, oldObject: gameOf() },
      'the UPDATE request lacks an object',
    ],
    ['no object to delete', forGames, { operation: 'DELETE' }, 'the DELETE request lacks an object'],
  ]

  it.each(cases)('is counted and never given to the handler: %s', (_, declare, changes, why) =>
    listening(async ({ webhooks, counted }) => {
      declare(webhooks.webhook('limits')).validate(() => expect.unreachable('the handler ran'))
      expect(await webhooks.review('limits', requestOf(changes))).toEqual<AdmissionAnswer>({
        ...{ allowed: false, warnings: [], patch: [] },
        status: { code: 400, reason: 'BadRequest', message: `the webhook limits failed: ${why}` },
      })
      expect(counted).toEqual([{ webhook: 'limits', reason: 'misdirected' }])
    }),
  )

  it('is none if an empty text says that it is of no subresource', () =>
    listening(async ({ webhooks, counted, log }) => {
      forGames(webhooks.webhook('limits')).validate(() => {})
      for (const changes of [{}, { operation: 'UPDATE', oldObject: gameOf() }, { operation: 'DELETE', oldObject: {} }])
        expect(await webhooks.review('limits', requestOf({ ...changes, subResource: '' }))).toMatchObject({
          allowed: true,
        })
      expect([counted, log]).toEqual([[], []])
    }))
})
