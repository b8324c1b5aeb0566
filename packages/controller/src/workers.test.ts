import type { Clock } from '@wherry/client'
import { WorkQueue } from '@wherry/work-queue'
import { describe, expect, it } from 'vitest'
import { work } from './workers.ts'

/** A clock that is moved by hand, and counts how often the event loop is given back. */
function clockByHand(): Clock & { at: number; turns: number } {
  const clock = {
    at: 0,
    turns: 0,
    now: () => clock.at,
    monotonic: () => clock.at,
    timer: () => ({ cancel: () => {} }),
    turn: async () => {
      clock.turns += 1
    },
  }
  return clock
}

async function worked(keys: number, takesMs: number, concurrency = 1): Promise<{ turns: number; ran: string[] }> {
  const clock = clockByHand()
  const queue = new WorkQueue({ clock })
  for (let i = 0; i < keys; i++) queue.add(`k${i}`)
  const ran: string[] = []
  const working = work(queue, concurrency, clock, async key => {
    ran.push(key)
    clock.at += takesMs
  })
  await queue.stop({ drain: true })
  await working
  return { turns: clock.turns, ran }
}

describe('workers', () => {
  it('C1, X8: give the event loop back between keys that take time', async () => {
    const { turns, ran } = await worked(20, 5)
    expect([turns, ran.length]).toEqual([20, 20])
  })

  it('C1, X8: give it back now and then between keys that take none', async () => {
    const { turns, ran } = await worked(640, 0)
    expect([turns, ran.length]).toEqual([10, 640])
  })

  it('C1: give it back as often however many they are', async () => {
    const { turns, ran } = await worked(640, 0, 4)
    expect(ran).toHaveLength(640)
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('C1: end a key after its run threw, and say so', async () => {
    const clock = clockByHand()
    const queue = new WorkQueue({ clock })
    queue.add('a')
    const working = work(queue, 1, clock, () => Promise.reject(new Error('no')))
    await expect(working).rejects.toThrow('no')
    expect(queue.running).toBe(0)
  })
})
