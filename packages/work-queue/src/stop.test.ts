import { expect, it } from 'vitest'
import { FakeClock, takeAll } from './fake-clock.fixture.ts'
import { WorkQueue } from './work-queue.ts'

function queueOnFakeClock(): { readonly clock: FakeClock; readonly queue: WorkQueue; readonly log: string[] } {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock }), log: [] }
}

/** A queue with a key that runs and is pending too, one that runs and is delayed, one ready and one delayed. */
function busyQueue(): ReturnType<typeof queueOnFakeClock> {
  const all = queueOnFakeClock()
  const { queue } = all
  for (const key of ['again', 'later', 'ready']) queue.add(key)
  queue.tryTake()
  queue.tryTake()
  queue.add('again')
  queue.add('later', { afterMs: 10 })
  queue.add('delayed', { afterMs: 20 })
  expect([queue.size, queue.delayed, queue.running, queue.state]).toEqual([2, 2, 2, 'open'])
  return all
}

/** Lets resolved promises call back. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

it('C1: drops pending keys on stop, and resolves when running keys are done', async () => {
  const { queue, clock, log } = busyQueue()
  queue.stop().then(() => log.push('stopped'))
  expect([queue.size, queue.delayed, queue.running, queue.state]).toEqual([0, 0, 2, 'stopped'])
  expect([queue.tryTake(), await queue.take(), clock.timers]).toEqual([undefined, undefined, 0])
  queue.done('again')
  await settle()
  expect([queue.running, log]).toEqual([1, []])
  queue.done('later')
  await settle()
  expect([queue.running, queue.size, log]).toEqual([0, 0, ['stopped']])
})

it('C1: hands out ready keys on stop with drain, also keys that were added while they ran, and drops delayed ones', async () => {
  const { queue, clock, log } = busyQueue()
  queue.stop({ drain: true }).then(() => log.push('stopped'))
  expect([queue.size, queue.delayed, queue.running, queue.state, clock.timers]).toEqual([2, 0, 2, 'draining', 0])
  expect(queue.tryTake()).toBe('ready')
  queue.done('ready')
  const waiting = queue.take().then(key => log.push(`took ${key}`))
  await settle()
  expect(log).toEqual([])
  queue.done('again')
  await waiting
  expect(await queue.take()).toBeUndefined()
  queue.done('again')
  await settle()
  expect([queue.state, log]).toEqual(['draining', ['took again']])
  queue.done('later')
  await settle()
  expect([queue.state, log]).toEqual(['stopped', ['took again', 'stopped']])
})

it('takes no keys once it drains or is stopped, nor notes failures', async () => {
  for (const drain of [true, false]) {
    const { queue, clock } = queueOnFakeClock()
    queue.add('runs')
    queue.tryTake()
    const stopped = queue.stop({ drain })
    queue.add('a')
    queue.add('runs')
    queue.add('b', { afterMs: 1 })
    queue.addRateLimited('runs')
    expect([queue.size, queue.delayed, clock.timers, queue.failures('runs')]).toEqual([0, 0, 0, 0])
    queue.done('runs')
    await stopped
    queue.add('a')
    expect(takeAll(queue)).toEqual([])
  }
})

it('resolves waiting takes with no key', async () => {
  for (const drain of [true, false]) {
    const { queue } = queueOnFakeClock()
    queue.add('a', { afterMs: 5 })
    const takes = [queue.take(), queue.take()]
    await queue.stop({ drain })
    expect(await Promise.all(takes)).toEqual([undefined, undefined])
    expect(await queue.take()).toBeUndefined()
  }
})

it('resolves takes that wait during a drain when the last pending key is handed out, or removed', async () => {
  const { queue } = busyQueue()
  const stopped = queue.stop({ drain: true })
  expect(await queue.take()).toBe('ready')
  const waiting = queue.take()
  queue.remove('again')
  expect(await waiting).toBeUndefined()
  for (const key of ['again', 'later', 'ready']) queue.done(key)
  await stopped
})

it('stops once, however often it is called', async () => {
  const { queue } = queueOnFakeClock()
  await Promise.all([queue.stop(), queue.stop({ drain: true }), queue[Symbol.asyncDispose]()])
  await queue.stop()
  expect(queue.state).toBe('stopped')
})

it('drops what a drain has not handed out when it is stopped again without', async () => {
  const { queue, log } = busyQueue()
  queue.stop({ drain: true }).then(() => log.push('drained'))
  queue.stop().then(() => log.push('stopped'))
  expect([queue.size, queue.state]).toEqual([0, 'stopped'])
  queue.stop({ drain: true })
  expect(queue.state).toBe('stopped')
  queue.done('again')
  queue.done('later')
  await settle()
  expect(log.toSorted()).toEqual(['drained', 'stopped'])
})

it('waits for the end no longer than a signal says, and stays stopped', async () => {
  const { queue } = busyQueue()
  await expect(queue.stop({ signal: AbortSignal.abort('late') })).rejects.toBe('late')
  expect(queue.state).toBe('stopped')
  const abort = new AbortController()
  const waiting = queue.stop({ signal: abort.signal })
  abort.abort('too late')
  await expect(waiting).rejects.toBe('too late')
  queue.done('again')
  queue.done('later')
  await queue.stop({ signal: new AbortController().signal })
})

it('is stopped by await using, without a drain', async () => {
  const { queue, clock } = queueOnFakeClock()
  {
    await using own = queue
    own.add('a')
    own.add('b', { afterMs: 5 })
  }
  expect([queue.state, queue.size, queue.delayed, clock.timers]).toEqual(['stopped', 0, 0, 0])
})
