import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { configMap, reflectorBenches, target } from '../testkit/bench.ts'
import { RecordingWriter } from '../testkit/recording-writer.ts'
import { thingsTarget } from '../testkit/things.ts'
import type { ReflectorOptions } from './options.ts'
import type { Pacer } from './pacer.ts'
import { Reflector } from './reflector.ts'
import { StreamingSupport } from './streaming-support.ts'

const bench = reflectorBenches()

/** The objects of `writer`, as a full store would give them. */
const entries = (recording: RecordingWriter) => () =>
  (function* () {
    for (const object of recording.objects.values()) yield { object, bytes: 7 }
  })()

describe('several writers', () => {
  it('D12: receive the same, of one watch', async () => {
    const { server, simulation, reflector, recording, asked, watch, write } = await bench(1)
    await server.fill([configMap('a')])
    const other = new RecordingWriter()
    reflector.add(other)
    expect(reflector.size).toBe(2)
    await watch()
    await write('+b', '~a', '-a')
    await simulation.runUntil(() => recording.log.length === 4)
    expect(recording.log.slice(1)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED a'])
    expect(other.log).toEqual(recording.log)
    expect(asked).toHaveLength(1)
    await simulation.advance(70_000)
    expect(other.progressed).toBe(recording.progressed)
    expect(other.progressed).toBeGreaterThan(0)
  })

  it('one that throws keeps nothing from the others, and gets the state again', async () => {
    const { server, simulation, reflector, recording, watch, write } = await bench(2)
    await server.fill([configMap('a')])
    const bad = new RecordingWriter()
    bad.received = line => {
      if (line === 'ADDED b') throw new Error('a store that fails')
    }
    const last = new RecordingWriter()
    reflector.remove(recording)
    for (const one of [bad, recording, last]) reflector.add(one)
    await watch()
    await write('+b')
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(recording.log[1]).toBe('ADDED b')
    expect(last.log).toEqual(recording.log)
    expect(bad.log.at(-1)).toMatch(/^commit a b/)
    expect(simulation.environment.errors).toMatchObject([{ error: { message: 'a store that fails' } }])
  })

  it('one that is removed receives nothing more, also not from within a call, and is not closed', async () => {
    const { server, simulation, reflector, recording, watch, write } = await bench(3)
    await server.fill([configMap('a')])
    const second = new RecordingWriter()
    recording.received = line => {
      if (line === 'ADDED b') reflector.remove(second)
      if (line === 'ADDED c') reflector.remove(recording)
    }
    reflector.add(second)
    await watch()
    await write('+b', '+c', '+d')
    await simulation.advance(1000)
    expect(recording.log.slice(1)).toEqual(['ADDED b', 'ADDED c'])
    expect(second.log).toHaveLength(1)
    expect(reflector.size).toBe(0)
    reflector.remove(recording)
  })

  it('one that is removed while a state is read does not get it', async () => {
    const { server, simulation, reflector, recording } = await bench(4, {}, { client: { gzip: false } })
    await server.fill([configMap('a', { text: 'x'.repeat(2000) }), configMap('b')])
    const second = new RecordingWriter()
    reflector.add(second)
    await server.faults.add({ nth: 1, effect: { kind: 'slow', bytesPerSecond: 100 } })
    reflector.start()
    await simulation.advance(5000)
    reflector.remove(second)
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(second.log).toEqual(['drop'])
    expect(recording.log).toHaveLength(1)
  })
})

describe('joining a reflector that runs', () => {
  it('D12: is filled from the store, in slices, and receives the changes meanwhile', async () => {
    const { server, simulation, reflector, recording, asked, watch, write } = await bench(10)
    const many = Array.from({ length: 1000 }, (_, i) => configMap(`n${`${i}`.padStart(4, '0')}`))
    await server.fill(many)
    await watch()
    const joining = new RecordingWriter()
    let given = 0
    const slow = function* () {
      for (const entry of entries(recording)()) {
        given += 1
        yield entry
      }
    }
    reflector.add(joining, { fill: slow })
    expect(given).toBe(0)
    expect(reflector.size).toBe(2)
    let most = 0
    while (!joining.synced) {
      const before = given
      await simulation.clock.turn
      await simulation.runUntil(() => given > before || joining.synced)
      most = Math.max(most, given - before)
    }
    expect(most).toBeLessThan(1000)
    expect(joining.names).toEqual(recording.names)
    await write('+x', '~n0001', '-n0002')
    await simulation.runUntil(() => recording.log.length === 4)
    expect(joining.log.slice(1)).toEqual(['ADDED x', 'MODIFIED n0001', 'DELETED n0002'])
    expect(asked).toHaveLength(1)
  })

  it('D12: what changes while it is filled wins over what it is filled with', async () => {
    const { server, simulation, reflector, recording, watch, write } = await bench(11)
    await server.fill(['a', 'b', 'c'].map(name => configMap(name)))
    await watch()
    const stale = [...entries(recording)()]
    const joining = new RecordingWriter()
    let go = (): void => {}
    // a source that is asked late, and knows only of the past
    const source = function* () {
      go()
      yield* stale
    }
    const { clock } = simulation
    const turn = clock.turn
    let held: (() => void) | undefined
    ;(clock as { turn: typeof turn }).turn = () => new Promise(resolve => (held = resolve))
    reflector.add(joining, { fill: source })
    ;(clock as { turn: typeof turn }).turn = turn
    await write('~a', '-b', '+d')
    await simulation.runUntil(() => recording.log.length === 4)
    let asked = false
    go = () => {
      asked = true
    }
    held?.()
    await simulation.runUntil(() => joining.synced)
    expect(asked).toBe(true)
    expect(joining.names).toEqual(['a', 'c', 'd'])
    expect(joining.objects.get('a')).toBe(recording.objects.get('a'))
    expect(joining.log).toEqual([`commit a c d at ${reflector.lastSyncedResourceVersion}`])
  })

  it('D12: a relist meanwhile takes it along instead', async () => {
    const { server, simulation, reflector, recording, watch, write } = await bench(12)
    await server.fill(['a', 'b'].map(name => configMap(name)))
    await watch()
    await simulation.advance(2000)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } })
    const joining = new RecordingWriter()
    const { clock } = simulation
    const turn = clock.turn
    ;(clock as { turn: typeof turn }).turn = () => new Promise(() => {})
    reflector.add(joining, { fill: entries(recording) })
    ;(clock as { turn: typeof turn }).turn = turn
    await server.endWatches()
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(joining.log).toEqual(['drop', recording.log.at(-1)])
    await write('+c')
    await simulation.runUntil(() => joining.log.length === 3)
    expect(joining.log[2]).toBe('ADDED c')
  })

  it('D12: before there is a state, it waits for it and is filled then; or takes part, where it is read again', async () => {
    const { server, simulation, reflector, recording } = await bench(13)
    await server.fill([configMap('a')])
    await server.faults.add({ nth: 1, effect: { kind: 'status', code: 503 } })
    reflector.start()
    const early = new RecordingWriter()
    reflector.add(early, { fill: entries(recording) })
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(early.log).toEqual([])
    await simulation.runUntil(() => reflector.state === 'streaming')
    const late = new RecordingWriter()
    reflector.add(late, { fill: entries(recording) })
    await simulation.runUntil(() => late.synced)
    expect(early.log).toEqual([recording.log.at(-1)])
    expect(late.log).toEqual([recording.log.at(-1)])
  })

  it('reports a source that throws, and reads the state again', async () => {
    const { server, simulation, reflector, watch } = await bench(14)
    await server.fill([configMap('a')])
    await watch()
    const joining = new RecordingWriter()
    reflector.add(joining, {
      fill: () => {
        throw new Error('no source')
      },
    })
    await simulation.runUntil(() => joining.synced)
    expect(joining.log).toEqual(['drop', expect.stringMatching(/^commit a at/)])
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(['no source'])
    expect(reflector.stats.relists).toBe(1)
  })

  it.each(['waiting', 'checking'] as const)('so it is where the source throws while it is %s', async when => {
    const { server, simulation, transport, reflector, asked, watch } = await bench(
      14,
      {},
      { withoutWatchCache: ['configmaps'] },
    )
    await server.fill([configMap('a')])
    await watch()
    if (when === 'waiting') {
      for (const connection of transport.controls.connections()) transport.controls.kill(connection)
      await simulation.runUntil(() => reflector.state === 'waiting')
    } else {
      await server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'delay', ms: 1000 } })
      await simulation.runUntil(() => asked.at(-1)?.includes('limit=1') === true)
    }
    const joining = new RecordingWriter()
    reflector.add(joining, {
      fill: () => {
        throw new Error('no source')
      },
    })
    await simulation.advance(10_000)
    expect([joining.synced, joining.names, reflector.state]).toEqual([true, ['a'], 'watching'])
  })

  it('N14: so it is where the source throws while it waits at its pacer', async () => {
    const passes: (() => void)[] = []
    const pacer: Pacer = {
      enter(pass) {
        passes.push(pass)
        return () => {}
      },
    }
    const { server, simulation, reflector, watch } = await bench(14, { pacer })
    await server.fill([configMap('a')])
    await watch()
    await server.endWatches()
    await simulation.runUntil(() => passes.length === 1)
    const joining = new RecordingWriter()
    reflector.add(joining, {
      fill: () => {
        throw new Error('no source')
      },
    })
    await simulation.settle()
    passes[0]?.()
    await simulation.advance(10_000)
    expect([joining.synced, joining.names, reflector.state]).toEqual([true, ['a'], 'watching'])
  })

  it('R23: one that leaves while it is filled, and a stop meanwhile, end that', async () => {
    const { server, simulation, reflector, recording, watch } = await bench(15)
    await server.fill([configMap('a')])
    await watch()
    const [one, two] = [new RecordingWriter(), new RecordingWriter()]
    reflector.add(one, { fill: entries(recording) })
    reflector.remove(one)
    reflector.add(two, { fill: entries(recording) })
    await simulation.run(() => reflector.stop())
    await simulation.advance(1000)
    expect([one.log, two.log]).toEqual([['drop'], ['drop']])
  })

  it('refuses a writer twice, one without a source once it runs, and any once it has stopped', async () => {
    const { simulation, reflector, recording } = await bench(16)
    const twice = expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('already') })
    const unfilled = expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('fill') })
    expect(() => reflector.add(recording)).toThrow(twice)
    reflector.start()
    expect(() => reflector.add(recording, { fill: () => [] })).toThrow(twice)
    expect(() => reflector.add(new RecordingWriter())).toThrow(unfilled)
    expect(() => reflector.add(new RecordingWriter(), {} as never)).toThrow(unfilled)
    await simulation.run(() => reflector.stop())
    expect(() => reflector.add(new RecordingWriter())).toThrow(expect.objectContaining({ code: 'INFORMER_STOPPED' }))
    expect(() => reflector.start()).toThrow(expect.objectContaining({ code: 'INFORMER_STOPPED' }))
  })
})

describe('the end of a reflector', () => {
  it('R23: from a stop on nothing is called, whatever it is doing', async () => {
    for (let ms = 0; ms < 4; ms += 0.25) {
      const b = await bench(20)
      await b.server.fill([configMap('a'), configMap('b')])
      b.reflector.start()
      await b.simulation.advance(ms)
      const stopped = b.reflector.stop()
      expect(b.reflector.state).toBe('stopped')
      const received = [b.recording.log.length, b.states.length, b.said.length]
      await b.simulation.run(() => stopped)
      const log = b.recording.log.filter(line => line !== 'drop')
      await b.write('+c')
      await b.simulation.advance(100_000)
      expect(b.recording.log.filter(line => line !== 'drop')).toEqual(log)
      expect([b.states.length, b.said.length]).toEqual(received.slice(1))
      expect(b.recording.open).toBe(0)
    }
  })

  it.each(['synced', 'state', 'watching', 'error', 'missing'] as const)(
    'R23: may be stopped from within its %s',
    async event => {
      const listeners: ReflectorOptions['on'] = { [event]: () => void reflector.stop() }
      const options = event === 'missing' ? { on: listeners, target: thingsTarget } : { on: listeners }
      const { server, simulation, reflector, asked, states } = await bench(21, options)
      if (event === 'error') await server.faults.add({ effect: { kind: 'status', code: 500 } })
      reflector.start()
      await simulation.runUntil(() => reflector.state === 'stopped')
      await simulation.advance(100_000)
      expect(asked).toHaveLength(event === 'state' ? 0 : 1)
      expect(states).toEqual([])
    },
  )

  it('R23: may be stopped from within a commit and a change', async () => {
    for (const at of ['commit', 'ADDED']) {
      const { server, simulation, reflector, recording, said, write } = await bench(22)
      await server.fill([configMap('a')])
      const second = new RecordingWriter()
      reflector.add(second)
      recording.received = line => {
        if (line.startsWith(at)) void reflector.stop()
      }
      reflector.start()
      await simulation.advance(100)
      await write('+b', '+c')
      await simulation.advance(100)
      expect(recording.log).toHaveLength(at === 'commit' ? 1 : 2)
      expect(second.log.filter(line => line !== 'drop')).toHaveLength(at === 'commit' ? 0 : 1)
      expect(said).toEqual(at === 'commit' ? [] : ['synced'])
    }
  })

  it('R23: may be stopped by the very first change after the initial state', async () => {
    const { server, simulation, transport, reflector, recording, states } = await bench(
      42,
      {},
      { client: { gzip: false } },
    )
    const metadata = { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } }
    const about = { kind: 'ConfigMap', apiVersion: 'v1' }
    const text = [
      { type: 'BOOKMARK', object: { ...about, metadata } },
      { type: 'ADDED', object: { ...about, metadata: { name: 'x', namespace: 'ns', resourceVersion: '6' } } },
    ]
      .map(event => JSON.stringify(event))
      .join('\n')
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'line', text, afterEvents: 0 } })
    recording.received = line => {
      if (line === 'ADDED x') void reflector.stop()
    }
    reflector.start()
    await simulation.advance(100)
    expect(recording.log).toEqual(['commit at 5', 'ADDED x'])
    expect(states).toEqual(['streaming'])
    expect(transport.controls.pending()).toEqual([])
  })

  it('X9: reports what its owner’s listeners throw to onError, and goes on', async () => {
    const on = {
      state() {
        throw new Error('mine')
      },
      synced() {
        throw 'no error'
      },
    }
    const { simulation, watch } = await bench(23, { on })
    await watch()
    expect(simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
      ['mine', 'listener'],
      ['a listener threw: "no error"', 'listener'],
      ['mine', 'listener'],
    ])
  })
})

describe('options of a reflector', () => {
  const client = { raw: { requester: { request() {} } }, environment: { onError() {} } }
  it.each<[string, object, string, string]>([
    ['no client', { client: undefined }, 'reflector.client.raw.requester', 'a Client'],
    ['no requester', { client: { ...client, raw: {} } }, 'reflector.client.raw.requester', 'a Client'],
    ['no environment', { client: { ...client, environment: undefined } }, 'reflector.client.environment', 'a Client'],
    ['no target', { target: undefined }, 'reflector.target', 'a ReadTarget'],
    ['a target that is none', { target: {} }, 'reflector.target', 'a ReadTarget'],
    ['a target without a selection', { target: { path: '/api' } }, 'reflector.target', 'a ReadTarget'],
    ['a target without a path', { target: { selection: target.selection } }, 'reflector.target', 'a ReadTarget'],
    ['an unknown option', { foo: 1 }, 'reflector.foo', ''],
    ['an unknown way to read', { initial: 'all' }, 'reflector.initial', ''],
    ['no page', { pageSize: 0 }, 'reflector.pageSize', ''],
    ['no bytes', { maxObjectBytes: 0 }, 'reflector.maxObjectBytes', ''],
    ['an unknown first list', { firstList: 'oldest' }, 'reflector.firstList', ''],
    ['a timeout', { timeoutSeconds: 5 }, 'reflector.timeoutSeconds', ''],
    ['half a timeout', { timeoutSeconds: { min: 5 } }, 'reflector.timeoutSeconds.max', 'a whole number'],
    ['the other half', { timeoutSeconds: { max: 5 } }, 'reflector.timeoutSeconds.min', 'a whole number'],
    ['an empty timeout', { timeoutSeconds: { min: 6, max: 5 } }, 'reflector.timeoutSeconds', 'no more than max'],
    ['streaming that is none', { streaming: {} }, 'reflector.streaming', 'a StreamingSupport'],
    ['a pacer that is none', { pacer: {} }, 'reflector.pacer', 'a Pacer'],
    ['no name', { name: '' }, 'reflector.name', ''],
    ['unknown listeners', { on: { other() {} } }, 'reflector.on.other', ''],
    ['listeners that are none', { on: { state: 1 } }, 'reflector.on.state', ''],
  ])('X6: refuses %s, and names the option', (_, options, option, takes) => {
    expect(() => new Reflector({ client, target, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option, takes: expect.stringContaining(takes) }),
    )
  })

  it('X6: takes valid options', () => {
    const timeoutSeconds = { min: 5, max: 5 }
    const given = { client: client as never, target, timeoutSeconds, name: 'x', on: {} }
    expect(() => new Reflector(given)).not.toThrow()
    const pacer: Pacer = { enter: () => undefined }
    const streaming = new StreamingSupport(simulate(1).environment.clock)
    for (const initial of ['stream', 'whole', 'paged'] as const) {
      for (const firstList of ['any', 'newest'] as const) {
        expect(() => new Reflector({ ...given, initial, firstList, pacer, streaming })).not.toThrow()
      }
    }
  })

  it('asks watches to last as long as its options say', async () => {
    const { simulation, asked, watch } = await bench(30, { timeoutSeconds: { min: 20, max: 20 }, name: 'mine' })
    await watch()
    await simulation.advance(100_500)
    expect(asked.filter(line => !line.startsWith('list'))).toHaveLength(6)
    expect(simulation.environment.metric('reflector_watches_total', { name: 'mine' })).toBe(6)
  })
})
