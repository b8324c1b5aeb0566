import { isResourceNotFound } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const page = { kind: 'status', code: 404, plain: true, message: '<html>404</html>' } as const
const event = { kind: 'error-event', code: 404, reason: 'NotFound' } as const

describe('a 404 that is no proof', () => {
  it.each([
    ['watched by itself', {}],
    ['watched with all others', { escalateAt: 2 }],
  ])('D8: an object that is %s is not delivered as deleted, and never read as absent', (_, options) =>
    withNarrow(async ({ narrow, write, run, get, server, simulation }) => {
      await write('+a/x', '+a/y', '+a/z')
      const log: string[] = []
      const keys = ['a/x', 'a/y', 'a/z']
      await run(() => Promise.all(keys.map(key => narrow.watch(configMaps, keyOf(key), noting(log)))))
      await simulation.advance(30_000)
      const before = [...log]
      expect(before).toHaveLength(3)
      const watch = { resource: 'configmaps', verb: 'watch' }
      await server.faults.add({ match: watch, times: 3, effect: event })
      const faults = await server.faults.add({ match: { resource: 'configmaps' }, effect: page })
      await run(() => server.endWatches('configmaps'))
      for (let i = 0; i < 20; i++) {
        for (const key of keys) {
          const read = await get(key).then(
            object => object?.metadata?.name ?? 'absent',
            error => (isResourceNotFound(error) ? 'unknown' : `${error}`),
          )
          expect(['unknown', key.slice(2)]).toContain(read)
          const peeked = narrow.peek(configMaps, keyOf(key))
          expect(peeked === undefined || peeked.object !== undefined).toBe(true)
        }
        await simulation.advance(5000)
      }
      expect(log).toEqual(before)
      await faults.remove()
      await write('-a/x')
      await simulation.advance(600_000)
      expect(log.slice(before.length).map(line => line.replace(' ?', ''))).toEqual(['-a/x'])
      expect(await get('a/x')).toBeUndefined()
    }, options),
  )
})
