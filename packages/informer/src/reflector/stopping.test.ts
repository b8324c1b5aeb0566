import { describe, expect, it } from 'vitest'
import { configMap, type ReflectorBench, reflectorBenches } from '../testkit/bench.ts'
import { RecordingWriter } from '../testkit/recording-writer.ts'
import { thingsTarget } from '../testkit/things.ts'

const bench = reflectorBenches(({ server }) => server.fill([configMap('a')]))

/** How long a stop takes, in milliseconds. */
async function stopMs({ simulation, reflector }: ReflectorBench): Promise<number> {
  const at = simulation.clock.monotonic()
  await simulation.run(() => reflector.stop())
  return simulation.clock.monotonic() - at
}

describe('a reflector that is stopped', () => {
  it.each([0, 1, 2, 3, 4, 5, 8])('R23: leaves no watch open, %i microtasks after its first state', async turns => {
    const b = await bench(1, {
      on: {
        synced: () => {
          let left = turns
          const stop = (): void => {
            if (left === 0) void b.reflector.stop()
            else queueMicrotask(stop)
            left -= 1
          }
          stop()
        },
      },
    })
    const { server, simulation, reflector } = b
    reflector.start()
    await simulation.advance(5000)
    expect(reflector.state).toBe('stopped')
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ requests: 1, openStreams: 0 })
  })

  it('R23: is over at once where it never began, and as often as one likes', async () => {
    const { reflector, states, asked } = await bench(2)
    expect(await Promise.all([reflector.stop(), reflector.stop()])).toEqual([undefined, undefined])
    expect(reflector.stop()).toBeInstanceOf(Promise)
    expect([reflector.state, states, asked]).toEqual(['stopped', [], []])
  })

  it.each(['waiting', 'missing'] as const)('R23: is over at once while it is %s', async state => {
    const b = await bench(3, state === 'missing' ? { target: thingsTarget } : {})
    const { server, simulation, reflector, asked } = b
    if (state === 'waiting') await server.faults.add({ effect: { kind: 'status', code: 503, plain: true } })
    reflector.start()
    await simulation.runUntil(() => reflector.state === state)
    expect(await stopMs(b)).toBeLessThan(100)
    await simulation.advance(100_000)
    expect(asked).toHaveLength(1)
  })

  it('R23: is over at once if a listener stops it on the event that its resource is missing', async () => {
    const b = await bench(4, { target: thingsTarget, on: { missing: () => void b.reflector.stop() } })
    const { simulation, reflector } = b
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'stopped')
    expect(await stopMs(b)).toBeLessThan(100)
  })

  it('R23: reports no failure when it is stopped while a list is on its way', async () => {
    const b = await bench(5, { initial: 'whole' })
    const { server, simulation, reflector, said, asked } = b
    await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'hang' } })
    reflector.start()
    await simulation.runUntil(() => asked.length === 1)
    expect(await stopMs(b)).toBeLessThan(100)
    expect([said, simulation.environment.errors, reflector.lastError]).toEqual([[], [], undefined])
  })

  it.each([0, 1, 2, 3, 4, 5, 8])('R23: asks for no further page, %i microtasks after an item', async turns => {
    const { server, simulation, reflector, recording, asked } = await bench(10, { initial: 'paged', pageSize: 1 })
    await server.fill(['b', 'c', 'd'].map(name => configMap(name)))
    const begun = recording.replace.bind(recording)
    let left = turns
    let askedBefore = 0
    const stop = (): void => {
      if (left > 0) queueMicrotask(stop)
      else {
        askedBefore = asked.length
        void reflector.stop()
      }
      left -= 1
    }
    recording.replace = options => ({ ...begun(options), put: stop })
    reflector.start()
    await simulation.advance(5000)
    expect([reflector.state, asked.length]).toEqual(['stopped', askedBefore])
  })

  it('R23: reports no failure when it is stopped while it asks the server whether it is behind', async () => {
    const timeoutSeconds = { min: 20, max: 20 }
    const b = await bench(6, { timeoutSeconds }, { withoutWatchCache: ['configmaps'] })
    const { server, simulation, reflector, said, asked, watch } = b
    await watch()
    await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'hang' } })
    await simulation.runUntil(() => asked.length === 2)
    expect([asked[1]?.split(' ')[0], reflector.state]).toEqual(['list', 'watching'])
    expect(await stopMs(b)).toBeLessThan(100)
    expect([said, simulation.environment.errors, reflector.lastError]).toEqual([['synced'], [], undefined])
  })

  it('R23: opens no watch if a listener stops it on the event that its list has come', async () => {
    const b = await bench(7, { initial: 'whole', on: { synced: () => void b.reflector.stop() } })
    const { simulation, reflector, asked } = b
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'stopped')
    await simulation.advance(100_000)
    expect(asked).toHaveLength(1)
  })

  it('R23: has stopped for good when its client was closed, and says so', async () => {
    const { client, simulation, reflector, states, said, asked, watch } = await bench(8)
    await watch()
    await simulation.run(() => client.close())
    await simulation.runUntil(() => reflector.state === 'stopped')
    await simulation.advance(100_000)
    expect([states, said]).toEqual([
      ['streaming', 'watching', 'stopped'],
      ['synced', 'ConnectionError'],
    ])
    expect(reflector.lastError).toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(asked).toHaveLength(1)
    expect(() => reflector.add(new RecordingWriter())).toThrow(expect.objectContaining({ code: 'INFORMER_STOPPED' }))
  })

  it.each(['stream', 'whole', 'paged'] as const)(
    'R23: leaves no timer behind, however it reads (%s)',
    async initial => {
      const { simulation, watch, close } = await bench(9, { initial })
      await watch()
      await simulation.advance(1000)
      await close()
      await simulation.advance(10) // bytes on the wire arrive
      expect(simulation.pending()).toEqual([])
    },
  )
})
