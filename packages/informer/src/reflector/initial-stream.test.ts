import { afterEach, describe, expect, it } from 'vitest'
import {
  bookmark,
  event,
  type ScriptedBench,
  type ScriptedRequest,
  scripted,
  verbs,
} from '../testkit/scripted-server.ts'
import { StreamingSupport } from './streaming-support.ts'

const open: ScriptedBench[] = []
afterEach(async () => {
  for (const { simulation, reflector } of open.splice(0)) {
    await simulation.run(() => reflector.stop())
    await simulation.advance(60_000)
  }
})

function bench(...args: Parameters<typeof scripted>): ScriptedBench {
  const made = scripted(...args)
  open.push(made)
  return made
}

/** Answers lists with one object, and watches with silence. */
function others(request: ScriptedRequest): void {
  if (request.line.startsWith('list')) request.list('7', 'a')
  else request.answer()
}

function* forEver(...values: readonly object[]): Iterable<object> {
  for (;;) yield* values
}

describe('a stream without an end of its initial state', () => {
  it.each<[string, object[]]>([
    ['repeats', [event('ADDED', 'a')]],
    ['MODIFIED of new keys', Array.from({ length: 100 }, (_, i) => event('MODIFIED', `k${100 + i}`))],
    ['DELETED of new keys', Array.from({ length: 100 }, (_, i) => event('DELETED', `k${100 + i}`))],
    ['bookmarks', [bookmark('8'), bookmark('9')]],
    ['objects that come and go', [event('ADDED', 'a'), event('DELETED', 'a')]],
    ['strays', [{ type: 'ADDED', object: { kind: 'Pod', metadata: { name: 'p' } } }]],
  ])('R12: %s are no progress: after 60 s of them alone the state is listed, this once', async (_, values) => {
    const { simulation, reflector, recording, asked, said } = bench(request => {
      if (request.line.startsWith('stream')) request.answer().every(3000, forEver(...values))
      else others(request)
    })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(verbs(asked)).toEqual(['stream', 'list', 'watch'])
    expect(simulation.clock.monotonic()).toBeGreaterThanOrEqual(60_000)
    expect(simulation.clock.monotonic()).toBeLessThan(68_000)
    expect(said).toMatchObject([{ code: 'TIMEOUT', timeoutMs: 60_000 }])
    expect(recording.names).toEqual(['a'])
  })

  it('R12: reads a large state, however long it takes, if each object comes within 60 s', async () => {
    const { simulation, reflector, recording, asked } = bench(
      request => {
        request.answer()
        // Never silent for 30 s, and an object every 59 s.
        const objects = Array.from({ length: 20 }, (_, i) => [event('ADDED', `k${10 + i}`), bookmark('8')])
        request.every(29_500, objects.flat(), () => request.send(bookmark('9', true)))
      },
      { timeoutSeconds: { min: 3000, max: 3000 } },
    )
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(verbs(asked)).toEqual(['stream'])
    expect(recording.names).toHaveLength(20)
    expect(simulation.clock.monotonic()).toBeGreaterThan(1_000_000)
  })

  /** A reflector that comes to a list in the end. `expire` ends its watches as expired. */
  function relisting(stream: (request: ScriptedRequest) => void): ScriptedBench & { expire(): void } {
    let live: ScriptedRequest | undefined
    const made = bench(request => {
      if (request.line.startsWith('stream')) stream(request)
      else {
        others(request)
        if (request.line.startsWith('watch')) live = request
      }
    })
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }
    return { ...made, expire: () => live?.send({ type: 'ERROR', object: status }) }
  }

  it.each<[string, (request: ScriptedRequest) => void]>([
    ['stands still', request => request.answer().every(3000, forEver(bookmark('8')))],
    ['falls silent', request => request.answer().send(event('ADDED', 'a'))],
  ])('R11, R12: where it %s, the second one running is remembered, for an hour', async (_, stream) => {
    const { simulation, reflector, asked, expire } = relisting(stream)
    reflector.start()
    for (const relists of [0, 1, 2]) {
      await simulation.runUntil(() => reflector.state === 'watching' && reflector.stats.relists === relists)
      await simulation.advance(100)
      expire()
    }
    await simulation.runUntil(() => reflector.stats.relists === 3 && reflector.state === 'watching')
    await simulation.advance(100)
    expect(verbs(asked)).toEqual([
      'stream',
      'list',
      'watch',
      'stream',
      'list',
      'watch',
      'list',
      'watch',
      'list',
      'watch',
    ])
    await simulation.advance(3_600_000)
    const { length } = asked
    expire()
    await simulation.runUntil(() => asked.length > length)
    expect(asked.at(-1)).toMatch(/^stream/)
  })

  it('R11: closed before its end twice running: reports it, lists, and remembers that', async () => {
    const { simulation, reflector, asked, said, expire } = relisting(request => request.answer().end())
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    await simulation.advance(100)
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('closed before its end')])
    expire()
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(verbs(asked).slice(0, 5)).toEqual(['stream', 'stream', 'list', 'watch', 'list'])
  })

  it('R11: broken off twice running: listed, and streamed again the next time; never opened: not counted', async () => {
    let broken = 0
    const { simulation, reflector, asked, expire } = relisting(request => {
      broken += 1
      if (broken === 2 || broken === 3) request.break(true)
      else request.answer().send(event('ADDED', 'a')).break()
    })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    await simulation.advance(100)
    expect(verbs(asked)).toEqual(['stream', 'stream', 'stream', 'stream', 'list', 'watch'])
    expire()
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(verbs(asked).slice(6, 8)).toEqual(['stream', 'list'])
  })

  it.each([401, 403, 405])('R36: an answer of %d: does not list, since that could not be watched', async code => {
    const { simulation, reflector, asked } = relisting(request => request.answer(code).end())
    reflector.start()
    await simulation.advance(200_000)
    expect(asked.length).toBeGreaterThan(3)
    expect(new Set(verbs(asked))).toEqual(new Set(['stream']))
    expect([reflector.lastSyncedResourceVersion, reflector.lastError]).toMatchObject([undefined, { status: code }])
  })

  it.each([400, 422])('R11: an answer of %d: listed at once, and remembered for that resource alone', async code => {
    const { simulation, reflector, asked, expire } = relisting(request => request.answer(code).end())
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(simulation.clock.monotonic()).toBeLessThan(800)
    await simulation.advance(100)
    expire()
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(verbs(asked).slice(0, 4)).toEqual(['stream', 'list', 'watch', 'list'])
    const support = new StreamingSupport(simulation.clock)
    support.refused('v1/configmaps')
    expect([support.expected('v1/configmaps'), support.expected('v1/pods')]).toEqual([false, true])
  })

  it('R11: one that comes to its end restarts the count', async () => {
    let streams = 0
    let live: ScriptedRequest | undefined
    const { simulation, reflector, asked } = bench(request => {
      streams += 1
      if (streams % 2 === 1) return request.answer().end()
      live = request.answer().send(event('ADDED', 'a'), bookmark('7', true))
    })
    reflector.start()
    for (const relists of [0, 1, 2]) {
      await simulation.runUntil(() => reflector.state === 'watching' && reflector.stats.relists === relists)
      await simulation.advance(1000)
      live?.send({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })
    }
    await simulation.advance(60_000)
    expect(new Set(verbs(asked))).toEqual(new Set(['stream']))
  })
})
