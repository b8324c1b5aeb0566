import { expect, it } from 'vitest'
import { Deliveries } from './deliveries.ts'

it('gives the deliveries of a burst once every consumer received each change', async () => {
  const deliveries = new Deliveries()
  const consumers = [deliveries.consumer(), deliveries.consumer()]
  for (const report of consumers) report(true)
  const made = deliveries.burst(3, async () => {
    for (const report of consumers) for (const isLast of [false, false, true]) report(isLast)
  })
  expect(await made).toBe(6)
  const again = deliveries.burst(1, async () => {
    for (const report of consumers) report(true)
  })
  expect(await again).toBe(2)
})

it('rejects when a consumer received fewer changes than were made', async () => {
  const deliveries = new Deliveries()
  const [first, second] = [deliveries.consumer(), deliveries.consumer()]
  const made = deliveries.burst(2, async () => {
    for (const isLast of [false, true]) first(isLast)
    second(true)
  })
  await expect(made).rejects.toThrow('consumer 2 received 1 changes, not 2')
})

it('rejects when a consumer received more changes than were made', async () => {
  const deliveries = new Deliveries()
  const report = deliveries.consumer()
  const made = deliveries.burst(2, async () => {
    for (const isLast of [false, false, true]) report(isLast)
  })
  await expect(made).rejects.toThrow('consumer 1 received 3 changes, not 2')
})
