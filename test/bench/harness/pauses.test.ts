import { expect, it, vi } from 'vitest'
import { watchPauses, watchSlices } from './pauses.ts'

/** Keeps the processor for `ms`, however long that takes on a machine that others use too. */
function busy(ms: number): void {
  const used = (): number => process.cpuUsage().user + process.cpuUsage().system
  for (const end = used() + ms * 1000; used() < end; );
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

it('finds the longest run of a turn of the event loop', async () => {
  const stop = watchSlices()
  await turn()
  busy(5)
  await turn()
  busy(60)
  await turn()
  const { slice_ms } = await stop()
  expect(slice_ms).toBeGreaterThan(40)
})

it('counts the turn that it is ended in', async () => {
  const stop = watchSlices()
  await turn()
  busy(60)
  expect((await stop()).slice_ms).toBeGreaterThan(40)
})

it('sees that the event loop was held up', async () => {
  const pauses = watchPauses()
  await vi.waitFor(() => expect(pauses.samples()).toBeGreaterThan(0))
  const before = pauses.samples()
  busy(60)
  await vi.waitFor(() => expect(pauses.samples()).toBeGreaterThan(before))
  const { stall_ms, delay_p999_ms, gc_ms } = await pauses.stop()
  expect(stall_ms).toBeGreaterThan(50)
  expect(delay_p999_ms).toBeLessThanOrEqual(stall_ms)
  expect(gc_ms).toBeGreaterThanOrEqual(0)
})
