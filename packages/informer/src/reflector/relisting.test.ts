import { OptionTypeError } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { bookmark, event, scripted } from '../testkit/scripted-server.ts'
import { HeldReads } from './held-reads.ts'

/** Answers streaming lists with one object, and leaves their watches open. */
const serve =
  (more: (nth: number) => object): Parameters<typeof scripted>[0] =>
  (request, nth) =>
    void request.answer().send(event('ADDED', 'a', '5', more(nth)), bookmark('7', true))

describe('a reflector that is to list again', () => {
  it('R5: reads the newest state, and takes an object of the same resourceVersion as the server has it now', async () => {
    const { simulation, reflector, recording, asked, askedFor } = scripted(
      serve(nth => ({ labels: { nth: `${nth}` } })),
    )
    reflector.relist()
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    reflector.relist()
    await askedFor(2)
    await simulation.runUntil(() => reflector.stats.relists === 1 && reflector.state === 'watching')
    expect(asked).toEqual(['stream', 'stream'])
    expect([reflector.stats.rollbacks, reflector.lastError]).toEqual([0, undefined])
    expect([recording.log, recording.reuses]).toEqual([
      ['commit a at 7', 'commit a at 7'],
      [true, false],
    ])
    await simulation.run(() => reflector.stop())
  })

  it('R5: reads it once more if that is said while a state is being read', async () => {
    const { simulation, reflector, asked, askedFor } = scripted((request, nth) => {
      request.answer().send(event('ADDED', 'a'))
      if (nth > 0) request.send(bookmark('7', true))
      else reflector.relist()
      if (nth === 0) request.send(bookmark('7', true))
    })
    reflector.start()
    await askedFor(2)
    await simulation.runUntil(() => reflector.stats.relists === 1 && reflector.state === 'watching')
    expect(asked).toEqual(['stream', 'stream'])
    await simulation.run(() => reflector.stop())
  })

  it('R1: reads nothing while reads of the resource are held back, in any version, and goes on when they are not', async () => {
    const held = new HeldReads()
    let release = Promise.withResolvers<void>()
    let isHeld = true
    const namespaces: (string | undefined)[] = []
    held.hold({ group: '', plural: 'configmaps' }, namespace => {
      namespaces.push(namespace)
      return isHeld ? release.promise : undefined
    })
    const end = held.hold({ group: 'other', plural: 'configmaps' }, () => Promise.reject(new Error('of another group')))
    const { simulation, reflector, asked } = scripted(
      serve(() => ({})),
      { held },
    )
    reflector.start()
    await simulation.advance(120_000)
    expect([asked, reflector.state, namespaces]).toEqual([[], 'waiting', ['ns']])
    // Let go, and held back again before it is asked.
    const { resolve } = release
    release = Promise.withResolvers<void>()
    resolve()
    await simulation.advance(120_000)
    expect([asked, namespaces.length]).toEqual([[], 2])
    isHeld = false
    release.resolve()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(asked).toHaveLength(1)
    release = Promise.withResolvers()
    isHeld = true
    reflector.relist()
    await simulation.advance(1000)
    expect(asked).toHaveLength(1)
    end()
    await simulation.run(() => reflector.stop())
    expect(reflector.state).toBe('stopped')
  })

  it('R1, X9: a function that holds reads back is not called in a tight loop, and its error is reported', async () => {
    const held = new HeldReads()
    const calls: number[] = []
    const answers: (() => Promise<void> | undefined)[] = [
      () => Promise.resolve(),
      () => Promise.reject(new Error('rejected')),
      () => {
        throw new Error('thrown')
      },
      () => undefined,
    ]
    const { simulation, reflector, asked } = scripted(
      serve(() => ({})),
      { held },
    )
    held.hold({ group: '', plural: 'configmaps' }, () => {
      calls.push(simulation.clock.monotonic())
      return answers[Math.floor((calls.length - 1) / 5)]?.()
    })
    reflector.start()
    await simulation.advance(10_000)
    expect([asked, reflector.state]).toEqual([[], 'waiting'])
    expect(calls.length).toBeLessThan(15)
    await simulation.runUntil(() => reflector.state === 'watching')
    // The second call comes at once, because a promise that resolves means that.
    const waits = calls.slice(2).map((at, index) => at - (calls[index + 1] as number))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(800)
    expect(asked).toHaveLength(1)
    const messages = simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])
    expect(messages).toEqual([
      ...Array.from({ length: 5 }, () => ['rejected', 'list']),
      ...Array.from({ length: 5 }, () => ['thrown', 'list']),
    ])
    await simulation.run(() => reflector.stop())
  })

  it('X6: reads of a resource are held back only by a function, for a group and a plural', () => {
    const until = (): undefined => undefined
    for (const resource of [undefined, {}, { group: 'x.io' }, { plural: 'things' }])
      expect(() => new HeldReads().hold(resource as never, until)).toThrow(OptionTypeError)
    for (const fn of [undefined, null, Promise.resolve()])
      expect(() => new HeldReads().hold({ group: 'x.io', plural: 'things' }, fn as never)).toThrow(OptionTypeError)
  })
})
