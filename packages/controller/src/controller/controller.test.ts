import { sleep } from '@wherry/client/internal'
import { configMaps, events } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { game, games } from '../operator/testkit/games.ts'
import { Channel } from '../sources/channel.ts'
import { TerminalError } from './errors.ts'

const chess = { name: 'chess', namespace: 'default' }
const go = { name: 'go', namespace: 'default' }

const errorsOf = ({ simulation }: Arcade): string[] =>
  simulation.environment.errors.map(({ error, context }) => `${context.phase} ${context.key}: ${error.message}`)
const resultsOf = ({ simulation }: Arcade, result: string): number | undefined =>
  simulation.environment.metric('controller_runtime_reconcile_total', { controller: 'game', result })

describe('what a reconcile returns', () => {
  it('C2: done, which nothing follows', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(() => {
        runs += 1
      })
      await arcade.start('chess')
      await arcade.simulation.advance(3_600_000)
      expect(runs).toBe(1)
      expect(resultsOf(arcade, 'success')).toBe(1)
    }))

  it('C2: requeue after a while, which settled does not wait for', () =>
    inArcade(async arcade => {
      const at: number[] = []
      arcade.forGames().reconcile(({ client }) => {
        at.push(client.environment.clock.monotonic())
        return { requeueAfterMs: 60_000 }
      })
      await arcade.start('chess')
      expect(at).toHaveLength(1)
      await arcade.simulation.advance(120_000)
      expect(at).toHaveLength(3)
      expect((at[1] ?? 0) - (at[0] ?? 0)).toBe(60_000)
      expect(arcade.operator.explain('game', chess).lastRun?.cause).toMatchObject({ change: 'due' })
    }))

  it('C2: requeueAfterMs: 0 runs the key again at once, and now() is the time of the clock', () =>
    inArcade(async arcade => {
      const at: Date[] = []
      arcade.forGames().reconcile(({ now }) => {
        at.push(now())
        return at.length < 3 ? { requeueAfterMs: 0 } : undefined
      })
      await arcade.start('chess')
      expect(at.map(Number)).toEqual(Array(3).fill(Number(at[0])))
      const { now } = arcade.client.environment.clock
      expect(Number(at[0])).toBeLessThanOrEqual(now())
      expect(now() - Number(at[0])).toBeLessThan(60_000)
      expect(errorsOf(arcade)).toEqual([])
    }))

  it.each([0, 4])(
    'C2: a key that returns requeueAfterMs: %d again and again gets the first delay, and one warning',
    ms =>
      inArcade(async arcade => {
        const { simulation, run, client } = arcade
        let runs = 0
        arcade.forGames().reconcile(() => {
          runs += 1
          return { requeueAfterMs: ms }
        })
        for (const name of ['chess', 'go']) await client.create(games, game(name))
        run()
        await simulation.advance(10_000)
        expect(runs).toBeGreaterThan(2 * 1900)
        expect(runs).toBeLessThan(2 * (10_000 / 5 + 11))
        expect(simulation.environment.warnings.map(({ message }) => message)).toEqual([
          expect.stringMatching(
            `^11 runs in a row of default/\\w+ in the controller game returned requeueAfterMs: ${ms}\\. `,
          ),
        ])
        expect(errorsOf(arcade)).toEqual([])
        expect(arcade.operator.explain('game', chess).failures).toBe(0)
      }),
  )

  it.each([
    [7, 'number'],
    ['again', 'string'],
    [{ again: true }, 'an object with "again"'],
    [{ requeue: true }, 'an object with "requeue"'],
    [{ requeueAfterMs: -1 }, 'requeueAfterMs: -1'],
    [{ requeueAfterMs: Number.NaN }, 'requeueAfterMs: NaN'],
  ])('C2: nonsense (%j) is reported, and tried again', (nonsense, got) =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(() => {
        runs += 1
        return runs === 1 ? (nonsense as never) : undefined
      })
      await arcade.start('chess')
      expect(runs).toBe(2)
      expect(arcade.simulation.environment.errors).toMatchObject([{ error: { code: 'INVALID_RESULT' } }])
      expect(errorsOf(arcade)[0]).toContain(`not ${got}`)
    }),
  )
})

describe('what a reconcile throws', () => {
  it('C2: is reported, and tried again with backoff until it does not', () =>
    inArcade(async arcade => {
      const at: number[] = []
      arcade.forGames().reconcile(({ attempt, client, object }) => {
        at.push(client.environment.clock.monotonic())
        if (attempt < 5 && object.spec.title === 'Chess') throw new Error(`no ${attempt}`)
      })
      await arcade.start('chess')
      const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0))
      expect(waits).toEqual([5, 10, 20, 40])
      expect(errorsOf(arcade)).toEqual([1, 2, 3, 4].map(n => `reconcile game default/chess: no ${n}`))
      expect([resultsOf(arcade, 'error'), resultsOf(arcade, 'success')]).toEqual([4, 1])
      await arcade.after(arcade.client.patch(games, chess, { spec: { title: 'Go' } }))
      expect(at).toHaveLength(6)
      expect(arcade.operator.explain('game', chess)).toMatchObject({ failures: 0, lastRun: { attempt: 1 } })
    }))

  it('explains a thrown value that is no text', () =>
    inArcade(async arcade => {
      arcade.forGames().reconcile(async ({ object }) => {
        if (object.spec.title !== 'Chess') throw Object.create(null)
      })
      await arcade.start('chess')
      await arcade.client.patch(games, chess, { spec: { title: 'Go' } })
      await arcade.simulation.advance(1000)
      expect(arcade.operator.explain('game', chess).toString()).toContain('it threw something that is no Error')
    }))

  it('C12: nothing is a failure too: what the last successful run read still counts', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade
        .forGames()
        .caches(configMaps)
        .reconcile(async ({ read, object }) => {
          runs += 1
          if (object.spec.title !== 'Chess') throw undefined
          await read.get(configMaps, { name: 'board' })
        })
      await arcade.start('chess')
      await arcade.client.patch(games, chess, { spec: { title: 'Go' } })
      await arcade.simulation.advance(1000)
      const explained = arcade.operator.explain('game', chess)
      expect(explained.reads).toMatchObject([{ object: 'default/board' }])
      expect(explained.toString()).toContain('it threw something that is no Error was thrown')
      expect(runs).toBeGreaterThan(2)
    }))

  it.each([
    [
      'an error that is its own cause',
      () => Object.assign(new Error('mine'), { cause: undefined as unknown }),
      'cause',
    ],
    ['errors that contain themselves', () => new AggregateError([], 'many'), 'errors'],
  ])('X9: as %s is a failure as any other', (_, make, field) =>
    inArcade(async arcade => {
      let runs = 0
      const error = make()
      if (field === 'cause') error.cause = error
      else (error as AggregateError).errors.push(error)
      arcade.forGames().reconcile(({ signal }) => {
        runs += 1
        if (runs === 1) throw error
        return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(error)))
      })
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.advance(1000)
      expect(runs).toBe(2)
      expect(await arcade.end()).toBe('ended')
      expect(errorsOf(arcade)).toEqual(Array(2).fill(`reconcile game default/chess: ${error.message}`))
    }),
  )

  it('C2: as a TerminalError is not tried again, until something changes', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(({ object }) => {
        runs += 1
        if (object.spec.title === 'Chess') throw new TerminalError('not this one')
      })
      const { client, operator, simulation, after } = arcade
      await arcade.start('chess')
      await simulation.advance(3_600_000)
      expect(runs).toBe(1)
      expect(operator.explain('game', chess)).toMatchObject({
        queue: 'idle',
        failures: 0,
        lastRun: { outcome: 'terminal' },
      })
      await after(client.patch(games, chess, { spec: { title: 'Go' } }))
      expect(runs).toBe(2)
      const count = simulation.environment.metric('controller_runtime_terminal_reconcile_errors_total', {
        controller: 'game',
      })
      expect(count).toBe(1)
    }))

  it.each(['text', undefined])('C2, X9: and is no Error (%j), is reported as one, and tried again', thrown =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(() => {
        if (++runs === 1) throw thrown
      })
      await arcade.start('chess')
      expect(runs).toBe(2)
      const reported = arcade.simulation.environment.errors.map(({ error: { message, cause } }) => [message, cause])
      expect(reported).toEqual([[expect.stringMatching(/^something that is no Error was thrown(: "text")?$/), thrown]])
    }),
  )

  it('C2: as a conflict is tried again, and not reported', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(async ({ client, object }) => {
        runs += 1
        if (runs === 1) {
          await client.update(games, { ...object, metadata: { ...object.metadata, resourceVersion: '1' } })
        }
      })
      await arcade.start('chess')
      expect(runs).toBe(2)
      expect(errorsOf(arcade)).toEqual([])
      expect(resultsOf(arcade, 'error')).toBe(1)
    }))

  it('C2: as a conflict with the owner of a field, which stays until that owner gives it up, is reported', () =>
    inArcade(async arcade => {
      const made = { metadata: { name: 'made', namespace: 'default' } }
      arcade.forGames().reconcile(async ({ client, attempt }) => {
        if (attempt < 3) await client.apply(configMaps, { ...made, data: { title: 'ours' } }, { fieldManager: 'us' })
      })
      await arcade.client.apply(configMaps, { ...made, data: { title: 'theirs' } }, { fieldManager: 'them' })
      await arcade.start('chess')
      const reported = expect.stringMatching(/^reconcile game default\/chess: .*conflict/)
      expect(errorsOf(arcade)).toEqual([reported, reported])
      expect([resultsOf(arcade, 'error'), resultsOf(arcade, 'success')]).toEqual([2, 1])
    }))
})

describe('the reads of a run', () => {
  it('C12: that has failed are let go of when the next one fails without any', () =>
    inArcade(async ({ operator, client, start, forGames, after }) => {
      let isReading = true
      forGames().reconcile(
        // Taking `read` from the context counts as reading.
        async context => {
          if (isReading) await context.read.get(configMaps, { name: 'settings' })
          throw new TerminalError('for good')
        },
      )

      await start('chess')
      expect(operator.explain('game', chess).reads).toMatchObject([{ object: 'default/settings' }])
      isReading = false
      await after(client.patch(games, chess, { spec: { title: 'New' } }))
      expect(operator.explain('game', chess).reads).toEqual([])
    }))
})

describe('the signal of a reconcile', () => {
  it('C2: is aborted when it takes longer than reconcileTimeoutMs, which is reported', () =>
    inArcade(async arcade => {
      const reasons: unknown[] = []
      let runs = 0
      arcade.forGames('game', { reconcileTimeoutMs: 1000 }).reconcile(({ signal, client }) => {
        runs += 1
        if (runs > 1) return
        return sleep(client.environment.clock, 60_000, signal).catch(error => {
          reasons.push(error.code)
          throw error
        })
      })
      await arcade.start('chess')
      expect(reasons).toEqual(['RECONCILE_TIMEOUT'])
      expect(runs).toBe(2)
      expect(errorsOf(arcade)).toEqual([
        'reconcile game default/chess: the reconcile of default/chess by controller game has not ended within 1000 ms',
      ])
    }))

  it('C2: has failed if it is aborted, also if it ends because it has to wait for an object', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames('game', { reconcileTimeoutMs: 1000 }).reconcile(async ({ client, ready }) => {
        runs += 1
        if (runs > 2) return
        try {
          await ready(configMaps, { name: 'none', namespace: 'default' })
        } finally {
          await sleep(client.environment.clock, 2000)
        }
      })
      await arcade.start('chess')
      expect(runs).toBe(3)
      expect(resultsOf(arcade, 'error')).toBe(2)
      expect(errorsOf(arcade)).toEqual(Array(2).fill(expect.stringContaining('has not ended within 1000 ms')))
    }))

  it('C2: is there and aborted too where it is asked for late', () =>
    inArcade(async arcade => {
      const seen: boolean[] = []
      arcade.forGames('game', { reconcileTimeoutMs: 1000 }).reconcile(async context => {
        if (seen.length > 0) return
        await sleep(context.client.environment.clock, 2000)
        seen.push(context.signal.aborted)
      })
      await arcade.start('chess')
      expect(seen).toEqual([true])
    }))

  it('C5, R23: is aborted when the operator ends, which waits for it', () =>
    inArcade(async arcade => {
      const log: string[] = []
      arcade.forGames().reconcile(async ({ signal, client }) => {
        log.push('began')
        await sleep(client.environment.clock, 600_000, signal).catch(error => log.push(error.message))
        await sleep(client.environment.clock, 1000)
        log.push('ended')
      })
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.runUntil(() => log.length > 0)
      expect(await arcade.end()).toBe('ended')
      expect(log).toEqual(['began', 'enough', 'ended'])
      expect(errorsOf(arcade)).toEqual([])
      expect(arcade.operator.state).toBe('stopped')
    }))
})

describe('a stop', () => {
  it('C5, R23: leaves behind what does not end in time, and names it', () => {
    let finish = (): void => {}
    return inArcade({ stopTimeoutMs: 5000 }, async arcade => {
      arcade.forGames().reconcile(() => new Promise<void>(resolve => (finish = resolve)))
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.runUntil(() => arcade.operator.explain('game', chess).queue === 'running')
      expect(await arcade.end()).toBe('ended')
      expect(errorsOf(arcade)).toEqual([
        'stop game undefined: the controller game was stopped, and is still reconciling default/chess',
      ])
      finish()
    })
  })

  it('C5: leaves nothing pending of a run that it has ended', () =>
    inArcade(async arcade => {
      const log: string[] = []
      arcade.forGames().reconcile(async ({ signal, client }) => {
        log.push('began')
        await sleep(client.environment.clock, 600_000, signal).catch(() => {})
        return { requeueAfterMs: 60_000 }
      })
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.runUntil(() => log.length > 0)
      await arcade.end()
      const { lastRun, pending, queue } = arcade.operator.explain('game', chess)
      expect([lastRun?.outcome, pending, queue]).toEqual(['requeue_after', undefined, 'idle'])
    }))

  it('R23: from within reconciles begins, and waits for none of them', () => {
    let begun = 0
    let go = (): void => {}
    const all = new Promise<void>(resolve => (go = resolve))
    const log: string[] = []
    return inArcade(async arcade => {
      const { operator, client, simulation, forGames } = arcade
      for (const name of ['one', 'two']) {
        forGames(name, { concurrency: 2 }).reconcile(async ({ signal }) => {
          if (++begun === 4) go()
          await all
          await operator.close()
          log.push(`aborted ${signal.aborted}`)
        })
      }
      for (const name of ['chess', 'go']) await client.create(games, game(name))
      arcade.run()
      const began = simulation.clock.monotonic()
      await simulation.runUntil(() => operator.state === 'stopped')
      expect(log).toEqual(Array.from({ length: 4 }, () => 'aborted true'))
      expect(simulation.clock.monotonic() - began).toBeLessThan(5000)
      expect(errorsOf(arcade)).toEqual([])
    })
  })

  it('R23: waits again for all that runs where a reconcile that is over had begun what calls it', () => {
    const log: string[] = []
    let closing: Promise<void> | undefined
    return inArcade(async arcade => {
      const { operator, client, simulation, forGames } = arcade
      forGames('first').reconcile(({ client: { environment } }) => {
        environment.clock.timer(1000, () => (closing = operator.close().then(() => void log.push('closed'))))
      })
      forGames('second').reconcile(async ({ signal, client: { environment } }) => {
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        await sleep(environment.clock, 1000)
        log.push('ended')
      })
      await client.create(games, game('chess'))
      arcade.run()
      await simulation.runUntil(() => log.length > 1)
      await closing
      expect(log).toEqual(['ended', 'closed'])
    })
  })

  it('C5: drops queued keys, and no reconcile begins after it', () =>
    inArcade(async arcade => {
      const log: string[] = []
      arcade.forGames().reconcile(async ({ key, client }) => {
        log.push(key.name)
        await sleep(client.environment.clock, 1000)
      })
      await arcade.client.create(games, game('chess'))
      await arcade.client.create(games, game('go'))
      arcade.run()
      await arcade.simulation.runUntil(() => log.length > 0)
      await arcade.end()
      expect(log).toHaveLength(1)
    }))

  it('C5: no reconcile begins after it, also of a key that was handed out just then', () => {
    const pushes = new Channel<typeof chess>('pushes')
    let runs = 0
    return inArcade(async ({ operator, forGames, start }) => {
      forGames()
        .from(pushes)
        .reconcile(() => {
          runs += 1
        })
      await start('chess')
      pushes.send(chess)
      await operator.close()
      expect(runs).toBe(1)
    })
  })

  it('C5: no reconcile begins after it, also of what came again while onGone saw to the one before', () => {
    const log: string[] = []
    return inArcade(async ({ operator, client, simulation, forGames, start }) => {
      let seen = (): void => {}
      forGames()
        .reconcile(({ object }) => {
          log.push(`run ${object.spec.title}`)
        })
        .onGone(() => new Promise<void>(resolve => (seen = resolve)))
      await start('chess')
      await client.delete(games, chess)
      await simulation.runUntil(() => operator.explain('game', chess).queue === 'running')
      await client.create(games, game('chess', 'key', 'Go'))
      await simulation.runUntil(() => operator.explain('game', chess).exists)
      const closed = operator.close()
      seen()
      await closed
      expect(log).toEqual(['run Chess'])
    })
  })

  it('C5, C9: what it has left behind records no events', () => {
    let finish = (): void => {}
    return inArcade({ stopTimeoutMs: 5000 }, async arcade => {
      const { operator, client, simulation, forGames } = arcade
      forGames().reconcile(async ({ events }) => {
        await new Promise<void>(resolve => (finish = resolve))
        events.record({ reason: 'Late', message: 'too late' })
      })
      await client.create(games, game('chess'))
      arcade.run()
      await simulation.runUntil(() => operator.explain('game', chess).queue === 'running')
      await arcade.end()
      finish()
      await simulation.advance(1000)
      expect((await client.list(events)).items).toEqual([])
      expect(simulation.environment.metric('wherry_events_dropped_total', { reason: 'closed' })).toBe(1)
    })
  })
})

describe('the queue of a controller', () => {
  it('C1, C2: runs as many keys at a time as its concurrency allows, and never one twice', () =>
    inArcade(async arcade => {
      let running = 0
      let most = 0
      const now = new Set<string>()
      arcade.forGames('game', { concurrency: 3 }).reconcile(async ({ key, client }) => {
        expect(now.has(key.name)).toBe(false)
        now.add(key.name)
        most = Math.max(most, ++running)
        await sleep(client.environment.clock, 100)
        running -= 1
        now.delete(key.name)
      })
      for (let i = 0; i < 10; i++) await arcade.client.create(games, game(`g${i}`))
      arcade.run()
      await arcade.simulation.advance(150)
      for (let i = 0; i < 10; i++) {
        await arcade.client.patch(games, { name: `g${i}`, namespace: 'default' }, { spec: { title: 'Go' } })
      }
      await arcade.operator.settled()
      expect(most).toBe(3)
      expect(errorsOf(arcade)).toEqual([])
    }))

  it('C1: prefers what changes to what was there', () =>
    inArcade(async arcade => {
      const order: string[] = []
      arcade.forGames().reconcile(async ({ key, client }) => {
        order.push(key.name)
        await sleep(client.environment.clock, 1000)
      })
      for (const name of ['a', 'b', 'c', 'd']) await arcade.client.create(games, game(name))
      arcade.run()
      await arcade.simulation.runUntil(() => order.length > 0)
      const last = ['a', 'b', 'c', 'd'].filter(name => name !== order[0]).at(-1) as string
      await arcade.after(arcade.client.patch(games, { name: last, namespace: 'default' }, { spec: { title: 'Go' } }))
      expect(order[1]).toBe(last)
    }))

  it('C2: a key that makes itself run without end starves nobody, and waits longer each time', () =>
    inArcade(async arcade => {
      const runs = { chess: 0, go: 0 }
      arcade.forGames().reconcile(({ key }) => {
        runs[key.name as 'chess' | 'go'] += 1
        if (key.name === 'chess') throw new Error('not yet')
      })
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.advance(10_000)
      await arcade.client.create(games, game('go'))
      await arcade.simulation.advance(1000)
      expect(runs.go).toBe(1)
      expect(runs.chess).toBeLessThan(20)
      await expect(arcade.operator.settled({ timeoutMs: 5000 })).rejects.toMatchObject({
        code: 'NOT_SETTLED',
        pending: ['game: default/chess waits to be tried again: not yet'],
      })
    }))
})

describe('a deleted object', () => {
  it('C2: its backoff is dropped, and a new object of its name begins without one', () =>
    inArcade(async arcade => {
      const attempts: string[] = []
      arcade.forGames().reconcile(({ attempt, object }) => {
        attempts.push(`${object.spec.title} ${attempt}`)
        if (object.spec.title === 'Chess') throw new Error('never')
      })
      const { client, operator, simulation, after } = arcade
      await client.create(games, game('chess'))
      arcade.run()
      await simulation.advance(1000)
      await after(client.delete(games, chess))
      expect(operator.explain('game', chess)).toMatchObject({ exists: false, failures: 0, lastRun: undefined })
      await after(client.create(games, game('chess', 'key', 'Go')))
      expect(attempts.at(-1)).toBe('Go 1')
    }))

  it('C2: what onGone throws is tried again, and the object is not forgotten meanwhile', () =>
    inArcade(async ({ client, simulation, forGames, start, after }) => {
      const log: string[] = []
      forGames()
        .reconcile(() => {
          log.push('run')
        })
        .onGone(({ last }) => {
          log.push(`gone ${last.spec.title}`)
          if (log.length < 4) throw new Error('not yet')
        })
      await start('chess')
      await after(client.delete(games, chess))
      expect(log).toEqual(['run', 'gone Chess', 'gone Chess', 'gone Chess'])
      expect(simulation.environment.errors).toHaveLength(2)
    }))

  it('C2: one that came again before its delete was handled: both run', () =>
    inArcade(async ({ client, run, simulation, forGames, after }) => {
      const log: string[] = []
      forGames()
        .reconcile(async ({ object, client: own }) => {
          log.push(`run ${object.spec.title}`)
          await sleep(own.environment.clock, 1000)
        })
        .onGone(({ last }) => {
          log.push(`gone ${last.spec.title}`)
        })
      await client.create(games, game('chess'))
      run()
      await simulation.runUntil(() => log.length > 0)
      await client.delete(games, chess)
      await after(client.create(games, game('chess', 'key', 'Go')))
      expect(log).toEqual(['run Chess', 'gone Chess', 'run Go'])
    }))

  it('C2: one that came and went again while onGone saw to the one before is seen to as well', () =>
    inArcade(async ({ operator, client, simulation, forGames, start }) => {
      const log: string[] = []
      let seen = (): void => {}
      forGames()
        .reconcile(({ object }) => {
          log.push(`run ${object.spec.title}`)
        })
        .onGone(({ last }) => {
          log.push(`gone ${last.spec.title}`)
          return last.spec.title === 'Chess' ? new Promise<void>(resolve => (seen = resolve)) : undefined
        })
      await start('chess')
      await client.delete(games, chess)
      await simulation.runUntil(() => log.length === 2)
      await client.create(games, game('chess', 'key', 'Go'))
      await simulation.runUntil(() => operator.explain('game', chess).exists)
      await client.delete(games, chess)
      await simulation.runUntil(() => !operator.explain('game', chess).exists)
      seen()
      await operator.settled()
      expect(log).toEqual(['run Chess', 'gone Chess', 'gone Go'])
    }))

  it('C2: one with a deletionTimestamp still runs', () =>
    inArcade(async arcade => {
      const seen: string[] = []
      arcade.forGames().reconcile(async ({ object, client, key }) => {
        const { deletionTimestamp, finalizers = [] } = object.metadata
        seen.push(deletionTimestamp === undefined ? 'alive' : 'dying')
        if (deletionTimestamp !== undefined && finalizers.length > 0) {
          await client.patch(games, key, { metadata: { finalizers: null } })
        }
      })
      const held = game('chess')
      await arcade.client.create(games, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/x'] } })
      await arcade.start()
      await arcade.after(arcade.client.delete(games, chess))
      expect(seen).toEqual(['alive', 'dying'])
      expect(await arcade.client.get(games, chess)).toBeUndefined()
    }))
})

describe('explain', () => {
  it('says which object made a key run, from which state to which, and which objects are watched', () =>
    inArcade(async ({ operator, client, run, forGames }) => {
      forGames().reconcile(async ({ object, read }) => {
        await read.get(configMaps, { name: object.spec.secret })
      })
      const { metadata } = await client.create(games, game('chess'))
      run()
      await operator.settled()
      const first = operator.explain('game', 'default/chess')
      expect(first).toMatchObject({
        controller: 'game',
        key: 'default/chess',
        exists: true,
        queue: 'idle',
        failures: 0,
        lastRun: {
          attempt: 1,
          outcome: 'success',
          cause: {
            source: 'for',
            change: 'initial',
            object: 'default/chess',
            from: undefined,
            to: metadata.resourceVersion,
          },
        },
        reads: [{ type: 'object', object: 'default/key', present: false, served: 'single' }],
        watched: [{ view: games.key, informer: { state: 'watching', objects: 1, holders: ['controller/game'] } }],
      })
      const made = await client.create(configMaps, { metadata: { name: 'key', namespace: 'default' } })
      await operator.settled()
      const second = operator.explain('game', chess)
      const version = made.metadata?.resourceVersion
      expect(second.lastRun?.cause).toEqual({
        source: 'read',
        change: 'appeared',
        view: configMaps.key,
        object: 'default/key',
        from: undefined,
        to: version,
      })
      expect(`${second}`).toContain(
        `read: default/key of ${configMaps.key} appeared (resourceVersion none → ${version})`,
      )
      expect(`${operator.explain('game', go)}`).toContain(
        'is not in the view (it is gone, or it left), idle\n  has not run',
      )
    }))
})

describe('an object that its own reconcile reads', () => {
  it('C11: makes its key run once for a change of it', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames().reconcile(async ({ read, key }) => {
        runs += 1
        await read.get(games, key)
      })
      await arcade.start('chess')
      await arcade.after(arcade.client.patch(games, chess, { spec: { title: 'Go' } }))
      expect(runs).toBe(2)
    }))
})

describe('explain of a key that waits', () => {
  it('C2: says for how long, where a run asked for a time', () =>
    inArcade(async ({ operator, simulation, forGames, start }) => {
      forGames().reconcile(() => ({ requeueAfterMs: 60_000 }))
      await start('chess')
      await simulation.advance(20_000)
      const explained = operator.explain('game', chess)
      expect(explained).toMatchObject({ queue: 'delayed', pending: { change: 'due' } })
      expect(explained.dueInMs).toBeCloseTo(40_000, -3)
      expect(`${explained}`).toMatch(
        /^game default\/chess: exists, delayed\n {2}to run in (40.0|39.\d) s because reconcile: due\n/,
      )
    }))
})

describe('a run that goes wrong in other ways', () => {
  it('C2: counts as failed where it took too long, also if it returns as if nothing were wrong', () =>
    inArcade(async arcade => {
      let runs = 0
      arcade.forGames('game', { reconcileTimeoutMs: 1000 }).reconcile(async ({ signal, client }) => {
        runs += 1
        if (runs === 1) await sleep(client.environment.clock, 60_000, signal).catch(() => {})
      })
      await arcade.start('chess')
      expect(runs).toBe(2)
      expect([resultsOf(arcade, 'error'), resultsOf(arcade, 'success')]).toEqual([1, 1])
      expect(errorsOf(arcade)).toHaveLength(1)
    }))

  it.each<[string, () => number]>([
    ['gives no time', () => Number.NaN],
    [
      'throws',
      () => {
        throw new Error('no limit')
      },
    ],
    ['gives a promise that rejects', () => Promise.reject(new Error('no limit')) as never],
  ])('X8, X9: waits a second where its rate limiter %s, and others run', (_, when) =>
    inArcade(async arcade => {
      const ran: string[] = []
      arcade.forGames('game', { rateLimiter: { when, forget: () => {}, failures: () => 0 } }).reconcile(({ key }) => {
        ran.push(key.name)
        if (key.name === 'chess' && ran.length < 3) throw new Error('no')
      })
      const { client, simulation, after } = arcade
      await client.create(games, game('chess'))
      arcade.run()
      await sleep(client.environment.clock, 500)
      await after(client.create(games, game('go')))
      expect(ran).toEqual(['chess', 'go', 'chess'])
      expect(simulation.environment.errors.map(({ context }) => context.phase)).toEqual([
        'reconcile game',
        'game rateLimiter',
      ])
    }),
  )
})
