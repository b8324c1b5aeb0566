import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(): { readonly clock: FakeClock; readonly queue: WorkQueue } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock }) }
}

it('gives a key that is ready at once, and else waits for one: added, due, or done', async () => {
  const { queue, clock } = queueOnFakeClock()
  queue.add('a')
  expect(await queue.take()).toBe('a')
  const added = queue.take()
  queue.add('b')
  expect(queue.running).toBe(2)
  expect(await added).toBe('b')
  const due = queue.take()
  queue.add('c', { afterMs: 5 })
  clock.advance(5)
  expect(await due).toBe('c')
  const again = queue.take()
  queue.add('a')
  expect(queue.running).toBe(3)
  queue.done('a')
  expect(await again).toBe('a')
})

it('gives keys to waiting takes in the order of the calls, one to each', async () => {
  const { queue } = queueOnFakeClock()
  const takes = [queue.take(), queue.take(), queue.take()]
  for (const key of ['a', 'a', 'b', 'c', 'd']) queue.add(key)
  expect(await Promise.all(takes)).toEqual(['a', 'b', 'c'])
  expect([queue.size, queue.running, queue.tryTake()]).toEqual([2, 3, 'd'])
})

it('gives keys that come due together to waiting takes by priority', async () => {
  const { queue, clock } = queueOnFakeClock()
  const takes = [queue.take(), queue.take()]
  queue.add('low', { afterMs: 5, priority: -1 })
  queue.add('high', { afterMs: 5, priority: 1 })
  clock.advance(5)
  expect(await Promise.all(takes)).toEqual(['high', 'low'])
})

it('rejects with the reason of a signal that is aborted, before or while it waits, and loses no key', async () => {
  const { queue } = queueOnFakeClock()
  queue.add('a')
  await expect(queue.take({ signal: AbortSignal.abort('before') })).rejects.toBe('before')
  expect(queue.tryTake()).toBe('a')
  const abort = new AbortController()
  const first = queue.take({ signal: abort.signal })
  const second = queue.take()
  abort.abort('while')
  await expect(first).rejects.toBe('while')
  queue.add('b')
  expect(await second).toBe('b')
})

it('resolves a take with the key that it was handed, though its signal is aborted in the same turn', async () => {
  const { queue } = queueOnFakeClock()
  const abort = new AbortController()
  const taken = queue.take({ signal: abort.signal })
  queue.add('a')
  abort.abort()
  expect(await taken).toBe('a')
  expect(queue.running).toBe(1)
})

it('leaves no listener on a signal', async () => {
  const { queue } = queueOnFakeClock()
  const { signal } = new AbortController()
  const takes = [queue.take({ signal }), queue.take({ signal })]
  await Promise.resolve()
  expect(getEventListeners(signal, 'abort')).toHaveLength(2)
  queue.add('a')
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  const stopped = queue.stop({ signal })
  expect(await Promise.all(takes)).toEqual(['a', undefined])
  queue.done('a')
  await stopped
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('is an async iterable of keys, for any number of workers, until it is stopped', async () => {
  const { queue } = queueOnFakeClock()
  const seen: string[] = []
  const worker = async (name: string): Promise<void> => {
    for await (const key of queue) {
      seen.push(`${name} ${key}`)
      await Promise.resolve()
      queue.done(key)
    }
  }
  const workers = [worker('1'), worker('2')]
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
  await queue.stop({ drain: true })
  await Promise.all(workers)
  expect(seen.map(line => line.slice(2)).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(new Set(seen.map(line => line[0]))).toEqual(new Set(['1', '2']))
})

it('leaves the rest to others when an iteration is left', async () => {
  const { queue } = queueOnFakeClock()
  queue.add('a')
  queue.add('b')
  for await (const key of queue) {
    queue.done(key)
    break
  }
  expect(await queue.take()).toBe('b')
})
