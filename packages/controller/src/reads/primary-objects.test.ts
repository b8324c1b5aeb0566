import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { withReads } from './testkit/kit.ts'

it('A8: an object that was made while the server was saying that there is none is not hidden', () =>
  withReads({ declared: [configMaps] }, async ({ cache, reads, run, write, server, simulation }) => {
    const { writes } = reads
    const informer = cache.informer(configMaps)
    const primary = reads.primary(configMaps)
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'list', resource: 'configmaps', name: 'x' }, effect }))
    writes.unanswered(configMaps, 'a/x')
    const read = run(() => primary.read('a/x', new AbortController().signal))
    await simulation.advance(500)
    await write('+a/x')
    await simulation.advance(60_000)
    expect([await read, informer.get('a/x') !== undefined, primary.isBehind('a/x')]).toEqual([undefined, true, false])
  }))

it('A8: an answer that is lost while the server is being asked makes it be asked again', () =>
  withReads({ declared: [configMaps] }, async ({ reads, run, write, server, simulation }) => {
    const { writes } = reads
    const primary = reads.primary(configMaps)
    await write('+a/x')
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'list', resource: 'configmaps', name: 'x' }, times: 1, effect }))
    writes.unanswered(configMaps, 'a/x')
    const read = run(() => primary.read('a/x', new AbortController().signal))
    await simulation.advance(500)
    await write('~a/x')
    writes.unanswered(configMaps, 'a/x')
    await simulation.advance(60_000)
    expect([await read, primary.isBehind('a/x')]).toMatchObject([{ data: { n: '2' } }, false])
  }))

it('A8: what was written is waited for until the informer receives it, and no longer', () =>
  withReads({ declared: [configMaps] }, async ({ cache, reads, write, simulation }) => {
    const primary = reads.primary(configMaps)
    await write('+a/x')
    const { uid, resourceVersion } = cache.informer(configMaps).version('a/x') ?? {}
    const next = String(Number(resourceVersion) + 1)
    reads.writes.wrote(configMaps, { metadata: { name: 'x', namespace: 'a', uid, resourceVersion: next } })
    const { clock } = simulation
    const began = clock.monotonic()
    const read = primary.read('a/x', new AbortController().signal).then(object => [object, clock.monotonic() - began])
    expect(primary.isBehind('a/x')).toBe(true)
    await write('~a/x')
    const [object, afterMs] = await read
    expect(object).toMatchObject({ data: { n: '2' } })
    expect(afterMs).toBeLessThan(200)
  }))

it('A8: of writes without an answer the last 10,000 are remembered, so that objects of other controllers do not fill the memory', () =>
  withReads({ declared: [configMaps] }, async ({ reads }) => {
    const { writes } = reads
    const primary = reads.primary(configMaps)
    for (const key of ['a/old', 'a/again']) writes.unanswered(configMaps, key)
    for (let i = 1; i < 10_000; i++) {
      writes.unanswered(configMaps, `b/${i}`)
      if (i === 10) writes.unanswered(configMaps, 'a/again')
    }
    expect(['a/old', 'a/again', 'b/1', 'b/9999'].map(key => primary.isBehind(key))).toEqual([false, true, true, true])
  }))
