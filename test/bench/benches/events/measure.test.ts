import { expect, it } from 'vitest'
import type { SubjectContext } from '../../harness/bench.ts'
import { measureEvents } from './measure.ts'

const context = { objects: 20 } as SubjectContext

/** Reports so many events, each in a turn of its own, and the rest when it is stopped. */
const reported = (events: number, late = 0) =>
  measureEvents(context, event => {
    const report = (left: number): void => {
      if (left === 0) return
      event()
      setImmediate(() => report(left - 1))
    }
    report(events)
    return () => {
      for (let n = 0; n < late; n++) event()
    }
  })

it('gives a rate when a subject received as many events as there were', async () => {
  expect((await reported(20)).events_per_s).toBeGreaterThan(0)
})

it('gives no figure when a subject received more events than there were', async () => {
  await expect(reported(20, 1)).rejects.toThrow('21 events, not 20')
})
