import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { serverDifference } from './server-difference.ts'
import { keyOf, withReads } from './testkit/kit.ts'

it('A8: an object that was made while the server was listing has not gone', () =>
  withReads({ declared: [configMaps] }, async ({ client, cache, run, write, server, simulation }) => {
    await write('+a/x', '+a/y')
    const informer = cache.informer(configMaps)
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'list', resource: 'configmaps' }, effect }))
    const compared = run(() => serverDifference(client, informer, new AbortController().signal))
    await simulation.advance(500)
    await write('+a/new')
    expect(informer.get(keyOf('a/new'))).toBeDefined()
    await simulation.advance(60_000)
    expect(await compared).toEqual({ newer: [], gone: [] })
  }))
