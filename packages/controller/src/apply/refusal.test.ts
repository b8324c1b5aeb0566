import { ApiError, ConnectionError } from '@wherry/client'
import { NarrowWatchRefusedError } from '@wherry/narrow-cache'
import { expect, it } from 'vitest'
import { AlreadyOwnedError } from '../objects/owner.ts'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games, ours } from '../operator/testkit/games.ts'
import { ApplyDelayedError, ImmutableFieldError, NotOursError } from './errors.ts'
import { refusalOf } from './refusal.ts'

const about = { method: 'PATCH', path: '/' }
const answer = (status: number, reason: string, cause?: string): ApiError =>
  new ApiError(
    { status, reason, message: 'no', causes: cause === undefined ? [] : [{ reason: cause, message: '', field: '' }] },
    about,
  )
const delayed = (cause: unknown): ApplyDelayedError => new ApplyDelayedError('v1/configmaps', 'a/b', 1000, cause)
const invalid = answer(422, 'Invalid')
const watch = new NarrowWatchRefusedError('v1/secrets', 'a/b', answer(403, 'Forbidden'))
const owner = { apiVersion: 'v1', kind: 'Game', name: 'chess', uid: '1' }

it.each([
  ['an object that is not valid', invalid],
  ['a quota or a right', answer(403, 'Forbidden')],
  ['a namespace that is not there', answer(404, 'NotFound')],
  ['fields of another manager', answer(409, 'Conflict', 'FieldManagerConflict')],
  ['an object of somebody else', new NotOursError('v1/configmaps', 'a/b', [])],
  ['an object of another owner', new AlreadyOwnedError(owner)],
  ['a field that cannot be changed', new ImmutableFieldError('v1/configmaps', 'a/b', invalid)],
])('%s is a refusal, also while the next try waits, and among several errors', (_, error) => {
  expect(refusalOf(error)).toBe(error)
  expect(refusalOf(delayed(error))).toBe(error)
  expect(refusalOf(new AggregateError([new Error('other'), delayed(error)]))).toBe(error)
})

it('finds the refusal in an error that contains itself, which ends', () => {
  const round = new AggregateError([new Error('other')])
  round.errors.push(round)
  expect(refusalOf(round)).toBeUndefined()
  round.errors.push(delayed(invalid))
  expect(refusalOf(round)).toBe(invalid)
})

it('the refusal of a watch that a read needs is one, and a watch that a server could not serve is none', () => {
  expect(refusalOf(watch)).toBe(watch.cause)
  expect(refusalOf(new NarrowWatchRefusedError('v1/secrets', 'a/b', answer(500, 'InternalError')))).toBeUndefined()
})

it.each([
  ['a server that fails', answer(500, 'InternalError')],
  ['a server that throttles', answer(429, 'TooManyRequests')],
  ['credentials that have expired', answer(401, 'Unauthorized')],
  ['an object that has changed', answer(409, 'Conflict')],
  ['a namespace that goes', answer(403, 'Forbidden', 'NamespaceTerminating')],
  ['a connection that breaks', new ConnectionError('CONNECTION_LOST', 'reset')],
  ['a mistake of the program', new TypeError('no')],
  ['a write that somebody undid', undefined],
])('%s is no refusal', (_, error) => {
  expect(refusalOf(error)).toBeUndefined()
  expect(refusalOf(delayed(error))).toBeUndefined()
  expect(refusalOf(new AggregateError([error]))).toBeUndefined()
})

it('what the server refuses is in the status from the first try on, and stays there while the next one waits', () =>
  inArcade(async ({ client, server, run, forGames, simulation }) => {
    const effect = { kind: 'status', code: 422, reason: 'Invalid' } as const
    await server.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, effect })
    const seen: (string | undefined)[] = []
    forGames()
      .owns(ours)
      .reconcile(async ({ apply, status }) => {
        try {
          await apply(ours, { metadata: { name: 'made' } })
        } catch (error) {
          seen.push(refusalOf(error)?.name)
          await status({ phase: refusalOf(error) ? 'refused' : 'unknown' })
          throw error
        }
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(10_000)
    expect(seen.length).toBeGreaterThan(4)
    expect(new Set(seen)).toEqual(new Set(['ApiError']))
    expect((await client.get(games, at('chess')))?.status?.phase).toBe('refused')
  }))
