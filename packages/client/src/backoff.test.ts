import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Backoff, sleep } from './backoff.ts'

const at = (random: number, simulation = simulate(1)) => ({ clock: simulation.clock, random: () => random })

it('R22: waits double from 800 ms to 30 s', () => {
  const backoff = new Backoff(at(0))
  expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([800, 1600, 3200, 6400, 12800, 25600, 30000, 30000])
})

it('R22: each wait is drawn from d to 2d', () => {
  const backoff = new Backoff(at(0.5))
  expect([backoff.next(), backoff.next()]).toEqual([1200, 2400])
  const most = new Backoff(at(0.999))
  expect(most.next()).toBeCloseTo(800 * 1.999)
})

it('R22: starts again after two minutes without failure, and not before', async () => {
  const simulation = simulate(1)
  const backoff = new Backoff(at(0, simulation))
  expect([backoff.next(), backoff.next()]).toEqual([800, 1600])
  await simulation.advance(119_999)
  expect(backoff.next()).toBe(3200)
  await simulation.advance(120_000)
  expect(backoff.next()).toBe(800)
  backoff.next()
  backoff.reset()
  expect(backoff.next()).toBe(800)
})

it('R22, X8: every wait ends at once when it is stopped', async () => {
  const simulation = simulate(1)
  await simulation.run(async () => {
    const controller = new AbortController()
    const backoff = new Backoff(at(0, simulation))
    const waiting = backoff.wait(controller.signal)
    controller.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    await expect(backoff.wait(controller.signal)).rejects.toThrow('stop')
    expect(simulation.clock.monotonic()).toBe(0)
  })
  expect(simulation.pending()).toEqual([])
})

it('waits at least as long as it is asked to', async () => {
  const simulation = simulate(1)
  await simulation.run(async () => {
    const backoff = new Backoff(at(0, simulation))
    await backoff.wait(undefined, 5000)
    expect(simulation.clock.monotonic()).toBe(5000)
    await backoff.wait()
    expect(simulation.clock.monotonic()).toBe(6600)
    await sleep(simulation.clock, 400)
    expect(simulation.clock.monotonic()).toBe(7000)
  })
})

it('R16, X8: a server that asks for one second for ever is asked ever more rarely', () => {
  const backoff = new Backoff(at(0))
  expect(Array.from({ length: 5 }, () => backoff.next(1000))).toEqual([1000, 1600, 3200, 6400, 12_800])
})

it('R16: no wait is longer than five minutes, whatever a server asks for', async () => {
  const simulation = simulate(1)
  const backoff = new Backoff(at(0, simulation))
  expect([300_000, 300_001, 999_999_999_000, Number.POSITIVE_INFINITY].map(ms => backoff.next(ms))).toEqual(
    Array(4).fill(300_000),
  )
  await simulation.run(() => backoff.wait(undefined, 999_999_999_000))
  expect(simulation.clock.monotonic()).toBe(300_000)
})

it.each([
  { initialMs: 0 },
  { initialMs: Number.NaN },
  { maxMs: Number.POSITIVE_INFINITY },
  { resetMs: -1 },
  { maxMs: 10 },
  { max: 10 },
])('X6: refuses %j', options => {
  expect(() => new Backoff(at(0), options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
})
