import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { IdleClock } from './idle-clock.ts'

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

/** A process that runs until the test ends it. */
async function child(): Promise<() => Promise<unknown>> {
  const made = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  await once(made, 'spawn')
  const ended = once(made, 'exit')
  const end = (): Promise<unknown> => {
    made.kill()
    return ended
  }
  ending.push(end)
  return end
}

it('passes next to a process that was there before, such as a server that test files share', async () => {
  await child()
  const clock = new IdleClock()
  let isOver = false
  void clock.wait(3_600_000).then(() => {
    isOver = true
  })
  expect(await clock.until(() => isOver, 7_200_000)).toBe(true)
})

it('stands still until a process ends that was started since', async () => {
  const clock = new IdleClock()
  const end = await child()
  const order: string[] = []
  void clock.wait(1).then(() => order.push('time passed'))
  setImmediate(async () => {
    for (let turns = 0; turns < 100; turns++) await clock.turn()
    order.push('the process ends')
    await end()
  })
  await clock.until(() => order.includes('time passed'), 10)
  expect(order).toEqual(['the process ends', 'time passed'])
})
