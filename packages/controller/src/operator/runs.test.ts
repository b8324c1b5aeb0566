import { describe, expect, it } from 'vitest'
import { TerminalError } from '../controller/errors.ts'
import { RunRecords } from '../controller/run-records.ts'
import { Channel } from '../sources/channel.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, games } from './testkit/games.ts'

describe('C22: the runs of an operator', () => {
  it('come one at a time with their cause and what came of them, and end with the operator', () =>
    inArcade(async ({ operator, forGames, start, client, end, simulation }) => {
      const pushes = new Channel<string>('pushes')
      forGames()
        .from(pushes, name => at(name))
        .reconcile(async ({ object, sleep }) => {
          await sleep(200)
          if (object.spec.title === 'bad') throw new TerminalError('a bad title')
        })
      const seen: unknown[] = []
      const reading = (async () => {
        for await (const {
          controller,
          key,
          outcome,
          cause,
          tookMs,
          attempt,
          error,
          missed,
          startedAt,
        } of operator.runs())
          seen.push([
            controller,
            key,
            outcome,
            cause?.source,
            cause?.change,
            tookMs >= 200,
            attempt,
            `${error}`,
            missed,
            startedAt > 0,
          ])
      })()
      await start('chess')
      await client.patch(games, at('chess'), { spec: { title: 'bad' } })
      await operator.settled()
      pushes.send('chess')
      await simulation.advance(1000)
      pushes.send('none')
      await simulation.advance(1000)
      await end()
      await reading
      expect(seen).toEqual([
        ['game', 'default/chess', 'success', 'for', 'initial', true, 1, 'undefined', 0, true],
        ['game', 'default/chess', 'terminal', 'for', 'updated', true, 1, 'TerminalError: a bad title', 0, true],
        ['game', 'default/chess', 'terminal', 'pushes', 'told', true, 1, 'TerminalError: a bad title', 0, true],
        ['game', 'default/none', 'gone', 'pushes', 'told', false, 1, 'undefined', 0, true],
      ])
      expect(await operator.runs().next()).toEqual({ done: true, value: undefined })
    }))

  it('name what changed, and its writer, while they are read and after the first explanation', () =>
    inArcade(async ({ operator, forGames, start, client, after }) => {
      forGames().reconcile(() => {})
      await start('chess')
      const rename = (title: string) => after(client.patch(games, at('chess'), { spec: { title } }))
      await rename('one')
      const explained = () => operator.explain('game', at('chess'))
      expect(explained().lastRun?.cause?.changes).toBeUndefined()
      await rename('two')
      expect(explained().lastRun?.cause?.changes).toEqual({ paths: ['spec.title'], managers: [] })
      expect(`${explained()}`).toMatch(/because for: default\/chess of \S+ updated \(.*\): spec\.title\n/)
    }))

  it('are lost to a reader that falls behind, the oldest first, and counted', async () => {
    const records = new RunRecords()
    expect(records.isRead).toBe(false)
    const about = {
      controller: 'game',
      startedAt: 0,
      tookMs: 1,
      attempt: 1,
      cause: undefined,
      moreCauses: 0,
      error: undefined,
      loop: undefined,
    }
    const report = (key: number): void => records.report({ ...about, key: `${key}`, outcome: 'success', missed: 0 })
    const stop = new AbortController()
    const reader = records.read({ signal: stop.signal })
    const other = records.read()
    const waiting = other.next()
    for (let key = 0; key < 1003; key += 1) report(key)
    expect((await waiting).value).toMatchObject({ key: '0', missed: 0 })
    expect((await other.next()).value).toMatchObject({ key: '3', missed: 2 })
    await other.return?.()
    expect(await other.next()).toEqual({ done: true, value: undefined })
    expect((await reader.next()).value).toMatchObject({ key: '3', missed: 3 })
    expect((await reader.next()).value).toMatchObject({ key: '4', missed: 0 })
    stop.abort()
    // What it has not read yet is still there, and nothing new.
    report(2000)
    let last: unknown
    for await (const { key } of reader) last = key
    expect([last, records.isRead]).toEqual(['1002', false])
    expect(() => records.read({ signal: 1 as never })).toThrow('runs.signal')
  })
})
