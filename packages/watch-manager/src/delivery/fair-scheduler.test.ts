import { systemClock } from '@wherry/client/internal'
import { describe, expect, it } from 'vitest'
import { FairScheduler, type Worker } from './fair-scheduler.ts'

/** FairScheduler on a clock that its workers advance, and a log of the turns of the loop. */
function bed() {
  const log: string[] = []
  const failures: unknown[] = []
  let now = 0
  let turn = 0
  let next: Promise<void> | undefined
  const scheduler = new FairScheduler(
    {
      ...systemClock(),
      monotonic: () => now,
      turn: () => {
        next ??= nextTurn().then(() => {
          turn++
          next = undefined
        })
        return next
      },
    },
    error => failures.push(error),
  )
  /** Works so many times, for so long each, in milliseconds. */
  const worker = (name: string, times = 1, ms = 0, more: () => void = () => {}): Worker => {
    let left = times
    return {
      queued: false,
      step(until) {
        log.push(`${turn}: ${name} until ${until}`)
        now += ms
        left--
        more()
        return left > 0
      },
    }
  }
  const advance = (ms: number): void => {
    now += ms
  }
  return { scheduler, log, failures, worker, advance }
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** More turns of the loop than any of this takes. */
async function settle(): Promise<void> {
  for (let count = 0; count < 400; count++) await nextTurn()
}

describe('the fair scheduler', () => {
  it('W6: what becomes ready within one turn of the loop is worked on in the next, once each, in that order', async () => {
    const { scheduler, log, worker } = bed()
    const [one, two] = [worker('one'), worker('two')]
    scheduler.add(one)
    scheduler.add(two)
    scheduler.add(one)
    expect([log, one.queued]).toEqual([[], true])
    await settle()
    expect(log).toEqual(['1: one until 10', '1: two until 10'])
    expect([one.queued, two.queued]).toEqual([false, false])
  })

  it('W6: one with more to do comes after those that wait', async () => {
    const { scheduler, log, worker } = bed()
    scheduler.add(worker('busy', 3))
    scheduler.add(worker('other'))
    await settle()
    expect(log.map(line => line.split(' ')[1])).toEqual(['busy', 'other', 'busy', 'busy'])
  })

  it('W6: gives the event loop back every 10 ms, and no earlier', async () => {
    const { scheduler, log, worker } = bed()
    scheduler.add(worker('a', 3, 5))
    scheduler.add(worker('b', 2, 4))
    await settle()
    expect(log).toEqual(['1: a until 10', '1: b until 10', '1: a until 10', '2: b until 24', '2: a until 24'])
  })

  it('W6: gives the event loop back once the 10 ms are over, and goes on where it was', async () => {
    const { scheduler, log, worker } = bed()
    scheduler.add(worker('a', 2, 5))
    scheduler.add(worker('b', 2, 5))
    scheduler.add(worker('c', 1, 5))
    await settle()
    expect(log).toEqual(['1: a until 10', '1: b until 10', '2: c until 20', '2: a until 20', '3: b until 30'])
  })

  it('begins again after a pause, with a slice of its own', async () => {
    const { scheduler, log, worker, advance } = bed()
    scheduler.add(worker('first'))
    await settle()
    advance(100)
    scheduler.add(worker('second'))
    await settle()
    expect(log).toEqual(['1: first until 10', '2: second until 110'])
  })

  it('one that is added while another works gets a turn after it', async () => {
    const { scheduler, log, worker } = bed()
    const late = worker('late')
    scheduler.add(worker('first', 1, 0, () => scheduler.add(late)))
    scheduler.add(worker('second'))
    await settle()
    expect(log.map(line => line.split(' ')[1])).toEqual(['first', 'second', 'late'])
  })

  it('X9: the error of a worker that throws is reported, and keeps no other worker from its turn', async () => {
    const { scheduler, log, failures, worker } = bed()
    const error = new Error('broken')
    const bad = worker('bad', 2, 20, () => {
      throw error
    })
    scheduler.add(bad)
    scheduler.add(worker('good'))
    await settle()
    expect(log.map(line => line.split(' ')[1])).toEqual(['bad', 'good'])
    expect(failures).toEqual([error])
    expect(bad.queued).toBe(false)
  })

  it('W6: a thousand busy ones each get their turn', async () => {
    const { scheduler, log, worker } = bed()
    for (let name = 0; name < 1000; name++) scheduler.add(worker(`${name}`, 2, 1))
    await settle()
    expect(log).toHaveLength(2000)
    const names = log.map(line => Number(line.split(' ')[1]))
    expect(names.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, name) => name))
    expect(names.slice(1000)).toEqual(names.slice(0, 1000))
  })
})
