import { performance } from 'node:perf_hooks'
import { expect, it, vi } from 'vitest'
import { watchPauses, watchSlices } from './pauses.ts'

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
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
  expect(slice_ms).toBeGreaterThan(55)
})

it('sees that the event loop was held up', async () => {
  const pauses = watchPauses()
  await vi.waitFor(() => expect(pauses.samples()).toBeGreaterThan(0))
  const before = pauses.samples()
  busy(60)
  await vi.waitFor(() => expect(pauses.samples()).toBeGreaterThan(before))
  const { stall_ms, gc_ms } = await pauses.stop()
  expect(stall_ms).toBeGreaterThan(50)
  expect(gc_ms).toBeGreaterThanOrEqual(0)
})
