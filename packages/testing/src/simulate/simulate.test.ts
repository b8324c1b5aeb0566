import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleepForReal } from 'node:timers/promises'
import type { Clock } from '@wherry/apiserver/clock'
import { integer } from '@wherry/apiserver/random'
import { describe, expect, it, vi } from 'vitest'
import { SimulationError } from './error.ts'
import { checkReplay } from './replay.ts'
import { type Simulation, simulate } from './simulate.ts'

const sleep = (clock: Clock, ms: number): Promise<void> => new Promise(resolve => void clock.timer(ms, resolve))

const failure = async (promise: Promise<unknown>): Promise<SimulationError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof SimulationError)) throw new Error(`no SimulationError but ${error}`)
  return error
}

const realSleep = (signal: AbortSignal): Promise<void> => sleepForReal(600_000, undefined, { signal })

/** Asks a server that never answers. */
async function silent(signal: AbortSignal): Promise<unknown> {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { signal })
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

/** Three tasks that wait, draw and set timers for each other. */
async function busy(simulation: Simulation): Promise<void> {
  const { clock, environment, trace } = simulation
  const worker = async (name: string): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      await sleep(clock, integer(environment.random, 0, 5))
      if (environment.random() < 0.3) await clock.turn()
      trace.add(`${name} ${i} at ${clock.monotonic()}`)
    }
  }
  await Promise.all(['a', 'b', 'c'].map(worker))
}

describe('one seed', () => {
  it('F5: gives one trace, step by step', async () => {
    for (let seed = 1; seed <= 20; seed++) await checkReplay(seed, busy)
  })

  it('F5: another seed gives another trace', async () => {
    const hashes = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const simulation = simulate(seed)
      await simulation.run(() => busy(simulation))
      hashes.add(simulation.trace.hash)
    }
    expect(hashes.size).toBe(20)
  })

  it('F5: shows the first difference of two runs when something came from outside', async () => {
    let runs = 0
    const body = async ({ clock, trace }: Simulation): Promise<void> => {
      await sleep(clock, 1)
      trace.add(`run ${runs++}`)
      trace.add('after')
    }
    await expect(checkReplay(9, body)).rejects.toThrow(
      'two runs of seed 9 differ: the traces part at entry 1:\n    step 1 0\n  A run 2\n  B run 3',
    )
  })
})

describe('the simulated clock', () => {
  it('fires timers by time, and at one time by when they were set', async () => {
    const { clock, advance } = simulate(1)
    const log: string[] = []
    const at = (ms: number, name: string) => clock.timer(ms, () => log.push(`${name} ${clock.monotonic()}`))
    at(5, 'e')
    at(2, 'c')
    at(0, 'a')
    at(5, 'f')
    at(2, 'd')
    at(-3, 'b')
    await advance(4)
    expect(log).toEqual(['a 0', 'b 0', 'c 2', 'd 2'])
    await advance(1)
    expect(log.slice(4)).toEqual(['e 5', 'f 5'])
  })

  it('has time pass for any timer, so that a wait for what rounding has left comes to an end', async () => {
    const { clock, advance } = simulate(1)
    await advance(45_570.9)
    let fired = 0
    clock.timer(1e-12, () => {
      fired = clock.monotonic()
    })
    await advance(1)
    expect(fired).toBeGreaterThan(45_570.9)
    expect(fired).toBeLessThan(45_570.900001)
  })

  it('keeps the order of thousands of timers, set and called off at random', async () => {
    const { clock, random, advance, pending } = simulate(2)
    const log: number[] = []
    const expected: { due: number; id: number }[] = []
    for (let id = 0; id < 5000; id++) {
      const due = integer(random, 0, 500)
      const timer = clock.timer(due, () => log.push(id))
      if (random() < 0.7) timer.cancel()
      else expected.push({ due, id })
    }
    await advance(500)
    expect(log).toEqual(expected.sort((a, b) => a.due - b.due || a.id - b.id).map(({ id }) => id))
    expect(pending()).toEqual([])
  })

  it('runs turns at the present time, in order, after timers that were due earlier', async () => {
    const { clock, advance } = simulate(1)
    const log: string[] = []
    clock.timer(1, () => {
      void clock.turn().then(() => log.push('turn 1'))
      clock.timer(0, () => log.push('timer 0'))
      void clock.turn().then(() => log.push('turn 2'))
    })
    clock.timer(1, () => log.push('timer 1'))
    await advance(1)
    expect(log).toEqual(['timer 1', 'turn 1', 'timer 0', 'turn 2'])
    expect(clock.monotonic()).toBe(1)
  })

  it('lets every promise that a step settled have its consequences before the next step', async () => {
    const { clock, advance } = simulate(1)
    const log: string[] = []
    clock.timer(1, async () => {
      for (let i = 0; i < 20; i++) await undefined
      process.nextTick(() => queueMicrotask(() => process.nextTick(() => log.push('consequence'))))
    })
    clock.timer(1, () => log.push('next step'))
    await advance(1)
    expect(log).toEqual(['consequence', 'next step'])
  })

  it('does not fire a timer that was called off, not even by an earlier one of its time', async () => {
    const { clock, advance } = simulate(1)
    const log: string[] = []
    clock.timer(1, () => later.cancel())
    const later = clock.timer(1, () => log.push('fired'))
    await advance(2)
    later.cancel()
    expect(log).toEqual([])
  })

  it('starts at a fixed wall time, which goes on in whole milliseconds', async () => {
    const { clock, advance } = simulate(1)
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')
    await advance(1500.75)
    expect(clock.monotonic()).toBe(1500.75)
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:01.500Z')
    expect(simulate(1, { startTime: 5 }).clock.now()).toBe(5)
  })

  it('refuses a timer that the real clock would fire at once', () => {
    const { clock } = simulate(1)
    expect(() => clock.timer(Number.POSITIVE_INFINITY, () => {})).toThrow(RangeError)
    expect(() => clock.timer(Number.NaN, () => {})).toThrow(RangeError)
  })
})

describe('advance, settle and runUntil', () => {
  it('advance stops exactly there, with all done that was due', async () => {
    const { clock, advance } = simulate(1)
    const log: number[] = []
    const again = (): void => {
      log.push(clock.monotonic())
      clock.timer(10, again)
    }
    again()
    await advance(35)
    expect(log).toEqual([0, 10, 20, 30])
    expect(clock.monotonic()).toBe(35)
  })

  it('advance inside run lets the others go on meanwhile', async () => {
    const { clock, run, advance } = simulate(1)
    const log: string[] = []
    await run(async () => {
      clock.timer(5, () => log.push('timer 5'))
      const other = advance(7).then(() => log.push('other 7'))
      await advance(6)
      log.push('main 6')
      await other
    })
    expect(log).toEqual(['timer 5', 'main 6', 'other 7'])
  })

  it('settle runs the tasks that are due now and no more', async () => {
    const { clock, settle } = simulate(1)
    const log: string[] = []
    clock.timer(0, () => void clock.turn().then(() => log.push('now')))
    clock.timer(1, () => log.push('later'))
    await settle()
    expect(log).toEqual(['now'])
    expect(clock.monotonic()).toBe(0)
  })

  it('runUntil stops at the step that makes it true', async () => {
    const { clock, runUntil } = simulate(1)
    let count = 0
    const again = (): void => {
      count++
      clock.timer(3, again)
    }
    again()
    await runUntil(() => count === 4)
    expect(clock.monotonic()).toBe(9)
  })

  it('runUntil rejects past its limit, with the time there, and leaves the simulation usable', async () => {
    const { clock, runUntil, advance } = simulate(77)
    clock.timer(1000, () => {})
    const error = await failure(runUntil(() => false, { limitMs: 500 }))
    expect(error).toMatchObject({ code: 'SIMULATION_TIME_LIMIT', seed: 77, time: 500 })
    await advance(500)
    expect(clock.monotonic()).toBe(1000)
  })

  it('X6: runUntil refuses a limit that would never come', () => {
    const { runUntil } = simulate(77)
    for (const limitMs of [Number.NaN, -1, Number.POSITIVE_INFINITY])
      expect(() => runUntil(() => false, { limitMs })).toThrow(RangeError)
  })

  it('runUntil rejects with what its predicate throws', async () => {
    const { runUntil } = simulate(1)
    const wrong = new Error('predicate')
    await expect(
      runUntil(() => {
        throw wrong
      }),
    ).rejects.toBe(wrong)
  })
})

describe('run', () => {
  it('gives what its function gives, and rejects with what it throws', async () => {
    const { clock, run } = simulate(1)
    expect(await run(() => 5)).toBe(5)
    expect(
      await run(async () => {
        await sleep(clock, 3_600_000)
        return 'an hour'
      }),
    ).toBe('an hour')
    const wrong = new Error('mine')
    await expect(run(() => Promise.reject(wrong))).rejects.toBe(wrong)
    await expect(
      run(() => {
        throw wrong
      }),
    ).rejects.toBe(wrong)
  })

  it('fails when nothing can ever happen, and lists pending waits', async () => {
    const { run, describe: describePending } = simulate(11)
    describePending(() => ['stream 3: GET /api'])
    const error = await failure(
      run(async function waiting() {
        await new Promise(() => {})
      }),
    )
    expect(error.code).toBe('SIMULATION_DEADLOCK')
    // Lines about the outside may follow: the program that runs the tests has timers too.
    expect(error.message).toContain(
      'nothing can ever happen: no timer is set, and sockets, files and import() are not seen (seed 11, at 0 ms)\n' +
        'pending:\n  run of waiting\n  stream 3: GET /api',
    )
  })

  it.each<[string, (until: AbortSignal) => Promise<unknown>, RegExp]>([
    // More than the program that runs the tests has.
    [
      'timers of Node’s',
      signal => Promise.all(Array.from({ length: 100 }, () => realSleep(signal))),
      /1\d\d × timer of N/,
    ],
    ['a fetch', signal => silent(signal), /\d × TCP connection/],
  ])('says that it does not wait for %s', async (_, wait, named) => {
    const stop = new AbortController()
    const simulation = simulate(14, { limitMs: 1000 })
    const tick = (): void => void simulation.clock.timer(300, tick)
    try {
      const error = await failure(
        simulation.run(async () => {
          const waiting = wait(stop.signal).catch(() => {})
          // A fetch connects in its own time.
          await vi.waitFor(() => expect(simulation.clock.outside?.().join()).toMatch(named))
          tick()
          await waiting
        }),
      )
      expect(error.pending.join('\n')).toMatch(named)
      expect(error.message).toContain('outside the simulation, for which simulated time does not wait')
    } finally {
      stop.abort()
    }
  })

  it('fails past its time limit, and lists the timers', async () => {
    const { clock, run } = simulate(12, { limitMs: 1000 })
    const tick = (): void => void clock.timer(300, tick)
    const error = await failure(
      run(() => {
        tick()
        return new Promise(() => {})
      }),
    )
    expect(error).toMatchObject({ code: 'SIMULATION_TIME_LIMIT', seed: 12, time: 1000 })
    expect(error.pending.filter(line => !line.startsWith('outside'))).toEqual(['run', 'timer at 1200 ms: tick'])
  })

  it('fails when it goes round without time passing', async () => {
    const { clock, run } = simulate(13, { maxSteps: 100 })
    const spin = (): void => void clock.timer(0, spin)
    const error = await failure(
      run(() => {
        spin()
        return new Promise(() => {})
      }),
    )
    expect(error).toMatchObject({ code: 'SIMULATION_STEP_LIMIT', time: 0 })
  })

  it('X9: fails on a rejection that nobody handles, although the function goes well', async () => {
    const { clock, run } = simulate(14)
    const error = await failure(
      run(async () => {
        await sleep(clock, 1)
        void Promise.reject(new TypeError('lost'))
      }),
    )
    expect(error).toMatchObject({ code: 'SIMULATION_UNHANDLED_REJECTION', seed: 14, time: 1 })
    expect(error.message).toContain('TypeError: lost')
    expect(error.cause).toBeInstanceOf(TypeError)
  })

  it('X9: fails on a rejection with any value, even one without a text', async () => {
    const { clock, run } = simulate(16)
    const error = await failure(
      run(async () => {
        void Promise.reject(Object.create(null))
        await sleep(clock, 1)
      }),
    )
    expect(error).toMatchObject({ code: 'SIMULATION_UNHANDLED_REJECTION', message: expect.stringContaining('{}') })
  })

  it('X9: fails on an exception out of a timer or a microtask', async () => {
    const throwing = (): never => {
      throw new Error('loose')
    }
    const { clock, advance, run } = simulate(15)
    clock.timer(1, throwing)
    expect((await failure(advance(1))).code).toBe('SIMULATION_UNCAUGHT_EXCEPTION')
    const error = await failure(
      run(() => {
        queueMicrotask(throwing)
        return new Promise(() => {})
      }),
    )
    expect(error.code).toBe('SIMULATION_UNCAUGHT_EXCEPTION')
  })

  it('gives the process its listeners back when it is over', async () => {
    const before = process.rawListeners('unhandledRejection')
    const { clock, run } = simulate(1)
    await run(async () => {
      await sleep(clock, 1)
      expect(process.rawListeners('unhandledRejection')).not.toEqual(before)
    })
    expect(process.rawListeners('unhandledRejection')).toEqual(before)
  })

  it('works for two simulations at once, each on its own time', async () => {
    const one = simulate(1)
    const two = simulate(2)
    await Promise.all([one.run(() => sleep(one.clock, 10)), two.run(() => sleep(two.clock, 2000))])
    expect([one.clock.monotonic(), two.clock.monotonic()]).toEqual([10, 2000])
  })
})

describe('the recorded environment', () => {
  it('keeps errors, warnings and metrics, and traces them', async () => {
    const { environment, trace } = simulate(1, { trace: 'full' })
    const error = new Error('broken')
    environment.onError(error, { phase: 'watch', resource: 'v1/pods' })
    environment.onWarning('old', { version: 'v1beta1' })
    environment.metrics.count('requests_total', { verb: 'get' })
    environment.metrics.count('requests_total', { verb: 'get' }, 2)
    environment.metrics.gauge('depth', 4)
    environment.log('info', 'started')
    expect(environment.errors).toEqual([{ error, context: { phase: 'watch', resource: 'v1/pods' } }])
    expect(environment.warnings).toEqual([{ message: 'old', context: { version: 'v1beta1' } }])
    expect(environment.metric('requests_total', { verb: 'get' })).toBe(3)
    expect(environment.metric('depth')).toBe(4)
    expect(environment.metric('other')).toBe(undefined)
    expect(trace.lines).toEqual([
      'error watch v1/pods  Error: broken',
      'warning old',
      'metric requests_total{verb="get"} +1',
      'metric requests_total{verb="get"} +2',
      'metric depth =4',
      'info started',
    ])
  })
})

describe('speed', () => {
  it('steps in time that grows with the number of steps, not with its square', async () => {
    const costs: number[] = []
    for (const steps of [5_000, 200_000]) {
      const { run, clock } = simulate(1, { maxSteps: 2_000_000 })
      const begun = process.cpuUsage()
      await run(
        () =>
          new Promise<void>(resolve => {
            let left = steps
            const step = (): void => {
              if (--left === 0) resolve()
              else clock.timer(1, step)
            }
            step()
          }),
      )
      costs.push(process.cpuUsage(begun).user)
    }
    // Some 40 times as much; by the square it would be 1,600 times.
    expect((costs[1] as number) / (costs[0] as number)).toBeLessThan(250)
  })

  it.each([
    { limitMs: -1 },
    { limitMs: Number.POSITIVE_INFINITY },
    { maxSteps: 0 },
    { trace: 'ful' },
    { start: 1 },
    { startTime: Number.NaN },
  ])('X6: refuses options that it does not know or can not take: %j', options => {
    expect(() => simulate(1, options as never)).toThrow(expect.objectContaining({ code: 'ERR_WHERRY_OPTION' }))
  })
})
