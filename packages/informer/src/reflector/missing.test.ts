import type { Client } from '@wherry/client'
import { type ReadTarget, targetsOf } from '@wherry/client/internal'
import { namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type ReflectorBench, reflectorBenches, target } from '../testkit/bench.ts'
import { RecordingWriter } from '../testkit/recording-writer.ts'
import { createDefinition, definition, definitions, things, thingsTarget } from '../testkit/things.ts'
import { Reflector } from './reflector.ts'

const benches = reflectorBenches()
const bench: typeof benches = (seed, options, cluster) => benches(seed, { target: thingsTarget, ...options }, cluster)

async function add({ simulation, writer }: ReflectorBench, ...names: string[]): Promise<void> {
  await simulation.run(async () => {
    for (const name of names) await writer.create(things, { metadata: { name, namespace: 'default' } } as object)
  })
}

describe('a resource that is not there', () => {
  it.each(['stream', 'whole'] as const)('D7: is reported, and tried now and then (%s)', async initial => {
    const b = await bench(1, { initial })
    const { simulation, reflector, recording, states, said, asked } = b
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'missing')
    await simulation.advance(29_000)
    expect(asked).toHaveLength(1)
    expect(said).toEqual(['ResourceNotFoundError', 'missing'])
    await simulation.advance(31_000)
    expect(asked).toHaveLength(2)
    expect(said).toEqual(['ResourceNotFoundError', 'missing', 'ResourceNotFoundError'])
    await simulation.advance(600_000)
    expect(simulation.environment.errors.map(({ error }) => error.name)).toEqual(['ResourceNotFoundError'])
    await createDefinition(b)
    await add(b, 'a')
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(recording.log.at(-1)).toMatch(/^commit a at/)
    expect(states.filter(state => state === 'missing').length).toBeGreaterThan(1)
    await simulation.advance(10)
    expect(reflector.lastError).toBeUndefined()
  })

  it('D7: is there at once when its owner says so, and looked for often for a while', async () => {
    const b = await bench(2)
    const { simulation, reflector, asked } = b
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'missing')
    await createDefinition(b)
    const at = simulation.clock.monotonic()
    reflector.retryNow()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(simulation.clock.monotonic() - at).toBeLessThan(100)
    expect(asked).toHaveLength(2)

    const other = await bench(3)
    other.reflector.start()
    await other.simulation.runUntil(() => other.reflector.state === 'missing')
    other.reflector.retryNow()
    await other.simulation.advance(10_000)
    expect(other.asked.length).toBeGreaterThan(3)
    await other.simulation.advance(50_000)
    const { length } = other.asked
    await other.simulation.advance(29_000)
    expect(other.asked.length - length).toBeLessThan(2)
  })

  it('D8: gone while it is watched: all that is left is cleared, and it resumes when it is back', async () => {
    const b = await bench(4)
    const { simulation, writer, reflector, recording, said, states } = b
    await createDefinition(b)
    await add(b, 'a', 'b')
    await b.watch()
    await simulation.run(() => writer.delete(definitions, { name: 'things.x.io' }))
    await simulation.runUntil(() => reflector.state === 'missing')
    expect(recording.log.slice(1, 3).sort()).toEqual(['DELETED a', 'DELETED b'])
    expect(recording.log.at(-1)).toBe('clear')
    expect(reflector.lastSyncedResourceVersion).toBeUndefined()
    expect(said).toEqual(['synced', 'ResourceNotFoundError', 'missing'])
    await createDefinition(b)
    await add(b, 'c')
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(recording.log.at(-1)).toMatch(/^commit c at/)
    expect(said.filter(one => one !== 'ResourceNotFoundError')).toEqual(['synced', 'missing', 'synced'])
    expect(reflector.stats).toMatchObject({ relists: 0, rollbacks: 0 })
    expect(states.at(-1)).toBe('watching')
  })

  it('D8: is reported each time that it goes', async () => {
    const b = await bench(8)
    const { simulation, writer, reflector, said } = b
    for (let time = 1; time <= 2; time++) {
      await createDefinition(b)
      reflector.start()
      reflector.retryNow()
      await simulation.runUntil(() => reflector.state === 'watching')
      await simulation.run(() => writer.delete(definitions, { name: 'things.x.io' }))
      await simulation.runUntil(() => reflector.state === 'missing')
    }
    expect(said.filter(one => one === 'missing')).toHaveLength(2)
  })

  it('D7: is looked for where nobody listens too', async () => {
    const b = await bench(9, { on: {} })
    const { simulation, reflector } = b
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'missing')
    await createDefinition(b)
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(simulation.environment.errors.map(({ error }) => error.name)).toEqual(['ResourceNotFoundError'])
  })

  it('D8: no longer served: its watch ends without a DELETED, and it is cleared all the same', async () => {
    const b = await bench(5)
    const { simulation, writer, reflector, recording } = b
    await createDefinition(b)
    await add(b, 'a')
    await b.watch()
    const [served] = definition.spec.versions
    const versions = [
      { ...served, served: false, storage: true },
      { ...served, name: 'v2', storage: false },
    ]
    await simulation.run(() => writer.patch(definitions, { name: 'things.x.io' }, { spec: { versions } }))
    await simulation.runUntil(() => reflector.state === 'missing')
    expect(recording.log.slice(1)).toEqual(['clear'])
    const back = [{ ...served }, { ...served, name: 'v2', storage: false }]
    await simulation.run(() => writer.patch(definitions, { name: 'things.x.io' }, { spec: { versions: back } }))
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(recording.names).toEqual(['a'])
  })

  it('R14: a change of its definition ends the watch, which goes on, over a 429 too', async () => {
    const b = await bench(6, {}, { reinitialiseMs: 2000 })
    const { simulation, writer, reflector, recording, asked } = b
    await createDefinition(b)
    await simulation.advance(3000)
    await add(b, 'a')
    await b.watch()
    const [served] = definition.spec.versions
    const versions = [served, { ...served, name: 'v2', storage: false }]
    await simulation.run(() => writer.patch(definitions, { name: 'things.x.io' }, { spec: { versions } }))
    await simulation.runUntil(() => asked.length > 1)
    await simulation.advance(10_000)
    await add(b, 'c')
    await simulation.runUntil(() => recording.log.at(-1) === 'ADDED c')
    expect(recording.log).toHaveLength(2)
    expect(reflector.stats.lists).toBe(1)
  })

  it('D8: created again as cluster-scoped while no watch was open: a namespace of it is gone, and is cleared', async () => {
    const inNamespace = targetsOf(things.within({ namespaces: ['default'] }))[0] as ReadTarget
    const b = await bench(10, { target: inNamespace })
    const { simulation, writer, server, reflector, recording } = b
    await createDefinition(b)
    await add(b, 'a')
    await b.watch()
    const effect = { kind: 'status', code: 503, reason: 'ServiceUnavailable' } as const
    const match = { resource: 'things.x.io' }
    const faults = [
      await server.faults.add({ match: { verb: 'watch', ...match }, effect }),
      await server.faults.add({ match: { verb: 'list', ...match }, effect }),
    ]
    await server.restart()
    await simulation.advance(1000)
    await simulation.run(() => writer.delete(definitions, { name: 'things.x.io' }))
    await simulation.advance(1000)
    const recreated: object = { ...definition, spec: { ...definition.spec, scope: 'Cluster' } }
    await simulation.run(() => writer.create(definitions, recreated))
    await simulation.advance(1000)
    for (const fault of faults) await fault.remove()
    await simulation.runUntil(() => reflector.state === 'missing')
    expect(recording.names).toEqual([])
  })

  it('D8: of a built-in resource a 404 clears nothing, once there was a state of it', async () => {
    const b = await bench(11)
    const { simulation, server, client } = b
    // A proof that believes every 404, unless it hasState says that there is a state.
    let proofs = 0
    const isProved: NonNullable<Client['raw']['absence']>['isProved'] = (_, asked) => {
      proofs += 1
      return Promise.resolve(asked?.hasState !== true)
    }
    const context = { ...client.raw, absence: { isProved } }
    const reflector = new Reflector({ client: { environment: client.environment, raw: context }, target })
    const recording = new RecordingWriter()
    reflector.add(recording)
    await simulation.run(() => b.writer.create(namespaces, { metadata: { name: 'ns' } }))
    await b.write('+a')
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    const effect = { kind: 'status', code: 404, plain: true } as const
    for (const verb of ['watch', 'list']) {
      await server.faults.add({ match: { verb, resource: 'configmaps' }, times: 3, effect })
    }
    await server.restart()
    await simulation.runUntil(() => proofs > 0)
    await simulation.advance(120_000)
    expect(reflector.state).toBe('watching')
    expect(recording.log.filter(line => line === 'clear')).toEqual([])
    expect(recording.names).toEqual(['a'])
    await simulation.run(() => reflector.stop())
  })

  it('clears no writer that never had a state', async () => {
    const { simulation, reflector, recording } = await bench(7)
    reflector.start()
    await simulation.advance(200_000)
    expect(recording.log.filter(line => line !== 'drop')).toEqual([])
  })
})
