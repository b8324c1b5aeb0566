import { type Simulation, simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Rounds } from './rounds.ts'

/** Rounds that write down when each begins and ends, as `begin 0`. Each takes as long as its argument says. */
async function running(
  body: (parts: {
    readonly rounds: Rounds
    readonly events: string[]
    readonly simulation: Simulation
    /** What each round does after it has begun. */
    readonly act: (next: () => Promise<unknown>) => void
  }) => Promise<void>,
): Promise<void> {
  const simulation = simulate(3)
  const { environment, clock } = simulation
  const events: string[] = []
  let next: () => Promise<unknown> = async () => {}
  const note = (what: string): void => void events.push(`${what} ${clock.monotonic()}`)
  const round = async (): Promise<void> => {
    note('begin')
    await next()
    note('end')
  }
  const rounds = new Rounds({ environment, phase: 'webhook-bundles', round })
  const act = (given: typeof next): void => {
    next = given
  }
  await simulation.run(() => body({ rounds, events, simulation, act }))
}

const waits = (simulation: Simulation, ms: number) => () =>
  new Promise<void>(resolve => void simulation.clock.timer(ms, resolve))

it('a round begins after the call that asks for it, and one is enough for all that ask before it begins', () =>
  running(async ({ rounds, events, simulation }) => {
    rounds.ask()
    rounds.ask()
    expect(events).toEqual([])
    await simulation.advance(1000)
    expect(events).toEqual(['begin 0', 'end 0'])
    rounds.ask()
    await simulation.advance(1000)
    expect(events).toEqual(['begin 0', 'end 0', 'begin 1000', 'end 1000'])
  }))

it('what asks during a round gets another round, after it', () =>
  running(async ({ rounds, events, simulation, act }) => {
    act(waits(simulation, 100))
    rounds.ask()
    await simulation.advance(50)
    rounds.ask()
    rounds.ask()
    await simulation.advance(1000)
    expect(events).toEqual(['begin 0', 'end 100', 'begin 100', 'end 200'])
  }))

it('a round begins at the earliest time of those that were set, and the later ones are forgotten', () =>
  running(async ({ rounds, events, simulation }) => {
    rounds.askIn(500)
    rounds.askIn(300)
    rounds.askIn(300)
    rounds.askIn(400)
    await simulation.advance(299)
    expect(events).toEqual([])
    await simulation.advance(2000)
    expect(events).toEqual(['begin 300', 'end 300'])
    // A time that has passed counts for no other.
    rounds.askIn(700)
    rounds.askIn(-5)
    await simulation.advance(10_000)
    expect(events.slice(2)).toEqual(['begin 2299', 'end 2299'])
    rounds.askIn(700)
    await simulation.advance(10_000)
    expect(events.slice(4)).toEqual(['begin 12999', 'end 12999'])
  }))

it('a round that fails is reported, and another follows, each later than the one before until one ends well', () =>
  running(async ({ rounds, events, simulation, act }) => {
    const fails = async (): Promise<void> => {
      throw 'no'
    }
    act(fails)
    rounds.ask()
    await simulation.advance(120_000)
    const begun = events.map(event => Number(event.split(' ')[1]))
    const gaps = begun.slice(1).map((at, index) => at - (begun[index] as number))
    expect(gaps.length).toBeGreaterThan(8)
    // Each wait is up to twice its base: 200 ms at first, and 10 s in the end.
    expect(gaps[0]).toBeLessThan(400)
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(10_000)
    expect(Math.max(...gaps)).toBeLessThan(20_000)
    const { errors } = simulation.environment
    expect(errors.length).toBe(begun.length)
    expect(new Set(errors.map(({ error }) => error.message))).toEqual(new Set(['a round failed: "no"']))
    expect(errors[0]?.context).toEqual({ phase: 'webhook-bundles' })
    act(async () => {})
    await simulation.advance(20_000)
    expect(events.filter(event => event.startsWith('end'))).toHaveLength(1)
    act(fails)
    rounds.ask()
    const last = events.length
    await simulation.advance(400)
    expect(events.length - last).toBeGreaterThanOrEqual(2)
    await rounds.close()
  }))

it('after close no round begins, and close waits for the round that runs', () =>
  running(async ({ rounds, events, simulation, act }) => {
    const before = simulation.pending()
    act(waits(simulation, 100))
    rounds.ask()
    rounds.askIn(500)
    await simulation.advance(50)
    rounds.ask()
    await rounds.close()
    expect(events).toEqual(['begin 0', 'end 100'])
    rounds.ask()
    rounds.askIn(10)
    await simulation.advance(1000)
    expect(events).toHaveLength(2)
    expect(simulation.pending()).toEqual(before)
  }))

it('a round that fails because of close is not reported', () =>
  running(async ({ rounds, events, simulation, act }) => {
    act(async () => {
      await waits(simulation, 100)()
      throw new Error('stopped')
    })
    rounds.ask()
    await simulation.advance(50)
    await rounds.close()
    await simulation.advance(60_000)
    expect([events, simulation.environment.errors]).toEqual([['begin 0'], []])
  }))

it('a round that was asked for just before close does not begin', () =>
  running(async ({ rounds, events, simulation }) => {
    rounds.ask()
    await rounds.close()
    await simulation.advance(1000)
    expect(events).toEqual([])
  }))
