import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { FakeClock } from './fake-clock.fixture.ts'
import { WorkQueue } from './work-queue.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: object) => void
const collect = (): void => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })

it('holds no key that was done, removed or dropped, and no taker that was given one', async () => {
  const clock = new FakeClock()
  const queue = new WorkQueue<object>({ clock })
  const refs: WeakRef<object>[] = []
  const key = (): object => {
    const made = { name: `key ${refs.length}` }
    refs.push(new WeakRef(made))
    return made
  }
  // In a function of its own, so that no variable here holds what it used.
  await (async () => {
    const [done, removed, delayed, failed, kept] = [key(), key(), key(), key(), key()]
    const waiting = queue.take()
    queue.add(done)
    queue.done((await waiting) as object)
    for (const each of [removed, failed, kept]) queue.add(each)
    queue.add(delayed, { afterMs: 5 })
    queue.remove(removed)
    queue.remove(delayed)
    queue.tryTake()
    queue.addRateLimited(failed)
    queue.done(failed)
    clock.advance(5)
    queue.remove(failed)
    queue.forget(failed)
  })()
  const alive = async (): Promise<string[]> => {
    await new Promise(resolve => setImmediate(resolve))
    collect()
    return refs.flatMap(ref => (ref.deref() as { name: string } | undefined)?.name ?? [])
  }
  expect(await alive()).toEqual(['key 4'])
  await queue.stop()
  expect(await alive()).toEqual([])
})

/** The bytes alive after `act`, beyond those before: on the heap and in array buffers. */
async function grownBy(act: () => void): Promise<number> {
  const alive = async (): Promise<number> => {
    await new Promise(resolve => setImmediate(resolve))
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = await alive()
  act()
  return (await alive()) - before
}

it('gives the memory of a flood back when it is over', async () => {
  const queue = new WorkQueue<number>({ clock: new FakeClock() })
  const fill = (): void => {
    for (let i = 0; i < 100_000; i++) queue.add(i, { afterMs: i % 2 })
  }
  const empty = (): void => {
    for (let i = 0; i < 100_000; i++) queue.remove(i)
  }
  const held = await grownBy(fill)
  expect(held).toBeGreaterThan(4_000_000)
  let given = -(await grownBy(empty))
  // Array buffers are swept in the background.
  await vi.waitFor(async () => {
    given -= await grownBy(() => {})
    expect(given).toBeGreaterThan(0.9 * held)
  })
  expect(queue.size).toBe(0)
})

it('keeps nothing for priorities that no key has any more', async () => {
  const queue = new WorkQueue<number>({ clock: new FakeClock() })
  const pass = (from: number): void => {
    for (let i = from; i < from + 50_000; i++) {
      queue.add(1, { priority: i })
      queue.add(2, { priority: -i })
      queue.remove(1)
      queue.remove(2)
    }
  }
  pass(0)
  expect(await grownBy(() => pass(100_000))).toBeLessThan(500_000)
  expect(queue.size).toBe(0)
})
