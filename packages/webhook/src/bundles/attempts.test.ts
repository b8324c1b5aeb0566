import { ApiError } from '@wherry/client'
import { expect, it } from 'vitest'
import { type Attempt, Attempts } from './attempts.ts'

const live = { metadata: { name: 'arcade' } }
const answered = (status: number): Promise<never> =>
  Promise.reject(new ApiError({ status, message: 'no' }, { method: 'PATCH', path: '/' }))

/** What comes of writes that are answered with these statuses, one after the other; 200 is a state. */
async function outcomes(...statuses: readonly number[]): Promise<(Attempt | number)[]> {
  const attempts = new Attempts()
  const found: (Attempt | number)[] = []
  for (const status of statuses) {
    const attempt = attempts.make(() => (status === 200 ? Promise.resolve(live) : answered(status)))
    found.push(await attempt.catch((error: ApiError) => error.status))
  }
  return found
}

it('a write to an object that is gone, or that somebody changed meanwhile, is no error', async () => {
  expect(await outcomes(200, 404, 409, 503)).toEqual([{ live }, 'gone', 'changed', 503])
})

it('what the server refuses is an error from the third refusal in a row on', async () => {
  expect(await outcomes(422, 422, 422, 422)).toEqual(['refused', 'refused', 422, 422])
  expect(await outcomes(422, 422, 200, 422, 422, 422)).toEqual([
    ...['refused', 'refused', { live }, 'refused', 'refused', 422],
  ])
})
