import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import type { WorkQueueObserver } from './observer.ts'
import { WorkQueue } from './work-queue.ts'

it('reports adds, retries, how long keys waited and how long they ran', () => {
  const clock = new FakeClock()
  const log: string[] = []
  const observer: WorkQueueObserver = {
    added: (key, priority) => log.push(`added ${key} ${priority}`),
    retried: (key, delayMs) => log.push(`retried ${key} ${delayMs}`),
    taken: (key, queuedMs) => log.push(`taken ${key} ${queuedMs}`),
    done: (key, workedMs) => log.push(`done ${key} ${workedMs}`),
  }
  const queue = new WorkQueue({ clock, observer })
  queue.add('a', { priority: 3 })
  queue.add('a', { priority: 4 })
  queue.add('b', { afterMs: 10 })
  clock.advance(30)
  queue.tryTake()
  queue.add('a')
  queue.add('a', { afterMs: 1 })
  clock.advance(4)
  queue.addRateLimited('a')
  queue.done('a')
  queue.tryTake()
  queue.tryTake()
  expect(log).toEqual([
    'added a 3',
    'retried b 10',
    'added b 0',
    'taken a 30',
    'added a 0',
    'retried a 1',
    'retried a 5',
    'done a 4',
    'taken a 4',
    'taken b 24',
  ])
})

it('does without any of its methods', () => {
  const clock = new FakeClock()
  const queue = new WorkQueue({ clock, observer: { taken: undefined } })
  queue.addRateLimited('a')
  clock.advance(5)
  queue.done(queue.tryTake() as string)
})

it('may use the queue while it is called', async () => {
  const clock = new FakeClock()
  const log: string[] = []
  const queue: WorkQueue = new WorkQueue({
    clock,
    observer: {
      added: key => key === 'a' && queue.add('b', { priority: 1 }),
      taken: key => key === 'b' && void queue.stop(),
      done: key => log.push(`done ${key} ${queue.running}`),
    },
  })
  const takes = [queue.take(), queue.take(), queue.take()]
  queue.add('a', { afterMs: 5 })
  clock.advance(5)
  expect(await Promise.all(takes)).toEqual(['b', undefined, undefined])
  queue.done('b')
  expect(log).toEqual(['done b 0'])
  await queue.stop()
})

it('X9: an observer that throws or rejects breaks nothing, and onError receives the error', async () => {
  const received: unknown[] = []
  const queue = new WorkQueue({
    clock: new FakeClock(),
    observer: {
      added() {
        throw new Error('added failed')
      },
      taken() {
        throw 'no error'
      },
      done: (async () => {
        throw new Error('done failed')
      }) as () => void,
    },
    onError(error, context) {
      received.push([error.message, error.cause, context])
      throw new Error('onError failed')
    },
  })
  const taken = queue.take()
  queue.add('a')
  expect(await taken).toBe('a')
  queue.done('a')
  await new Promise(resolve => setImmediate(resolve))
  expect(received).toEqual([
    ['added failed', undefined, { phase: 'observer.added' }],
    ['observer.taken threw', 'no error', { phase: 'observer.taken' }],
    ['done failed', undefined, { phase: 'observer.done' }],
  ])
})

it('X9: a rejection of a promise of another library goes to onError, too', async () => {
  const received: string[] = []
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  const rejected = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('added failed')) }
  const queue = new WorkQueue({
    clock: new FakeClock(),
    observer: { added: () => rejected },
    onError: error => void received.push(error.message),
  })
  queue.add('a')
  await new Promise(resolve => setImmediate(resolve))
  expect(received).toEqual(['added failed'])
})

it('X9: an onError that rejects is ignored', async () => {
  const queue = new WorkQueue({
    clock: new FakeClock(),
    observer: {
      added() {
        throw new Error('added failed')
      },
    },
    onError: (async () => {
      throw new Error('onError failed')
    }) as () => void,
  })
  queue.add('a')
  await new Promise(resolve => setImmediate(resolve))
  expect(queue.size).toBe(1)
})

it('publishes what an observer throws on wherry:error when no onError is given', () => {
  const received: unknown[] = []
  const receive = (message: unknown): void => {
    received.push(message)
  }
  const error = new Error('added failed')
  subscribe('wherry:error', receive)
  new WorkQueue({
    observer: {
      added() {
        throw error
      },
    },
  }).add('a')
  unsubscribe('wherry:error', receive)
  expect(received).toEqual([{ error, context: { phase: 'observer.added' } }])
})
