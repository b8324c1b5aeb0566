import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Subscription } from './handler.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')

describe('a handler that closes others while one watch of many delivers its list', () => {
  it('N11: lets go of that watch with the last entry that is fed by it', () =>
    withNarrow(
      async ({ narrow, run, write, watches, simulation, transport, server, breakAll }) => {
        await write('+a/a')
        const all: Subscription[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/a'), { delete: () => all[0]?.close() }))
        for (const name of ['x', 'y', 'z']) {
          all.push(await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting([]))))
        }
        await simulation.advance(1000)
        transport.controls.refuse(true)
        breakAll()
        await write('-a/a')
        await run(() => server.compact())
        await run(() => server.expireWatchCaches())
        transport.controls.refuse(false)
        await simulation.advance(60_000)
        expect(narrow.report()).toMatchObject({ entries: 3, streams: 1, escalated: [{ phase: 'escalated' }] })
        for (const one of all) await run(() => one.close())
        await simulation.advance(60_000)
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1, escalated: [] })
        expect(await watches()).toBe(1)
      },
      { escalateAt: 3, idleMs: 0 },
    ))

  it('N11: lets go of that watch where it feeds none yet', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, watches, simulation } = kit
        await write('+a/a')
        const all: Subscription[] = []
        const closeAll = (): void => {
          for (const one of all.splice(0)) void one.close()
        }
        all.push(await run(() => narrow.watch(configMaps, keyOf('a/a'), { delete: closeAll })))
        for (const name of ['x', 'y', 'z']) {
          all.push(await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting([]))))
        }
        await run(() => narrow.watch(configMaps, keyOf('a/stays'), noting([])))
        const inTime = await late(kit)
        await write('-a/a')
        await inTime()
        await run(() => narrow.watch(configMaps, keyOf('a/new'), noting([])))
        await simulation.advance(60_000)
        expect(narrow.report()).toMatchObject({ entries: 2, streams: 2, escalated: [] })
        expect(await watches()).toBe(2)
      },
      { escalateAt: 5, idleMs: 0 },
    ))

  it('N11: where all namespaces are too few for one watch by that, each namespace keeps its own', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, simulation } = kit
        await write('+a/a')
        const log: string[] = []
        const all: Subscription[] = []
        const closeAll = (): void => {
          for (const one of all.splice(0)) void one.close()
        }
        await run(() => narrow.watch(configMaps, keyOf('a/a'), { delete: closeAll }))
        for (const name of ['x', 'y']) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
        for (const name of ['p', 'q', 'r', 's', 't']) {
          all.push(await run(() => narrow.watch(configMaps, keyOf(`b/${name}`), noting([]))))
        }
        await simulation.advance(1000)
        const inTime = await late(kit)
        await write('-a/a')
        await inTime()
        all.push(await run(() => narrow.watch(configMaps, keyOf('b/u'), noting([]))))
        await simulation.advance(60_000)
        await write('+a/x')
        await simulation.advance(5000)
        expect(log).toEqual(['0a/x', '0a/y', '+a/x 3'])
      },
      { escalateAt: 2, escalateAllAt: 8, idleMs: 0 },
    ))
})

it('N9, N11: a handler that is called for one object while one watch of many lists reads the own write of another', () =>
  withNarrow(
    async ({ narrow, run, write, writer, simulation, server, transport, breakAll }) => {
      await write('+a/x', '+a/y')
      const seen: unknown[] = []
      const read = (): void => void narrow.get(configMaps, keyOf('a/y')).then(object => seen.push(object?.data?.n))
      await run(() => narrow.watch(configMaps, x, { delete: read }))
      await run(() => narrow.watch(configMaps, keyOf('a/y'), noting([])))
      await simulation.advance(1000)
      transport.controls.refuse(true)
      breakAll()
      await write('-a/x')
      narrow.wrote(configMaps, await run(() => writer.patch(configMaps, keyOf('a/y'), { data: { n: 'mine' } })))
      await run(() => server.compact())
      await run(() => server.expireWatchCaches())
      transport.controls.refuse(false)
      await simulation.advance(60_000)
      expect(seen).toEqual(['mine'])
    },
    { escalateAt: 1 },
  ))

it('R23: a listener of errors that calls back while the cache is closed finds it closed', () =>
  withNarrow(async ({ narrow, client, run, get, server, simulation }) => {
    await get('a/x')
    const effect = { kind: 'status', code: 500 } as const
    await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))
    const { environment } = client
    let calls: Promise<unknown> | undefined
    environment.onError = () => {
      calls = narrow.get(configMaps, x).catch(error => error)
    }
    void get('a/y').catch(() => {})
    await run(() => server.endWatches('configmaps'))
    await simulation.advance(300)
    await run(() => narrow.close())
    expect(await run(() => calls)).toMatchObject({ code: 'NARROW_CLOSED' })
    expect(narrow.report()).toMatchObject({ entries: 0, streams: 0, waiting: 0 })
  }))
