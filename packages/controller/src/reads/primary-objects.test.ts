import { configMaps } from '@wherry/client/resources/core'
import type { CachedInformer } from '@wherry/dynamic-cache'
import { expect, it } from 'vitest'
import { PrimaryObjects } from './primary-objects.ts'
import { withReads } from './testkit/kit.ts'

it('A8: an object that was made while the server was saying that there is none is not hidden', () =>
  withReads({ declared: [configMaps] }, async ({ client, cache, reads, run, write, server, simulation }) => {
    const { writes } = reads
    const informer = cache.informer(configMaps) as CachedInformer<unknown>
    const primary = new PrimaryObjects({ client, informer, writes })
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'get', resource: 'configmaps' }, effect }))
    writes.unanswered(configMaps, 'a/x')
    const read = run(() => primary.read('a/x', new AbortController().signal))
    await simulation.advance(500)
    await write('+a/x')
    await simulation.advance(60_000)
    expect([await read, informer.get('a/x') !== undefined, primary.isBehind('a/x')]).toEqual([undefined, true, false])
    primary.close()
  }))

it('A8: an answer that is lost while the server is being asked makes it be asked again', () =>
  withReads({ declared: [configMaps] }, async ({ client, cache, reads, run, write, server, simulation }) => {
    const { writes } = reads
    const informer = cache.informer(configMaps) as CachedInformer<unknown>
    const primary = new PrimaryObjects({ client, informer, writes })
    await write('+a/x')
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'get', resource: 'configmaps' }, times: 1, effect }))
    writes.unanswered(configMaps, 'a/x')
    const read = run(() => primary.read('a/x', new AbortController().signal))
    await simulation.advance(500)
    await write('~a/x')
    writes.unanswered(configMaps, 'a/x')
    await simulation.advance(60_000)
    expect([await read, primary.isBehind('a/x')]).toMatchObject([{ data: { n: '2' } }, false])
    primary.close()
  }))
