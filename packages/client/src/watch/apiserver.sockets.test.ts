import { describe, expect, it } from 'vitest'
import { closedAfterEach, configMap, configMaps, only, overSockets } from '../bytes/server.fixture.ts'
import { openWatch } from './watch.ts'

const inNamespace = only(configMaps.within({ namespaces: ['ns'] }))
const path = '/api/v1/namespaces/ns/configmaps'

const start = closedAfterEach(overSockets)

describe.each(['h2', 'http/1.1'] as const)('watches the API server, over sockets (%s)', protocol => {
  it.each([false, true])(
    'R9, R24: receives the initial state, its end, and each change at once (gzip: %s)',
    async gzip => {
      const served = await start({ protocol })
      const { server, context, write } = served
      await server.fill(Array.from({ length: 500 }, (_, i) => configMap(`c${i}`, { a: 'ü€𝄞'.repeat(i) })))
      const { promise, resolve } = Promise.withResolvers<void>()
      const received: string[] = []
      let expected = ''
      let wake: () => void = () => {}
      const watch = openWatch(
        context,
        inNamespace,
        { resourceVersion: '', initialEvents: true },
        {
          event(type, object) {
            received.push(`${type} ${(object as { metadata: { name: string } }).metadata.name}`)
            if (received.at(-1) === expected) wake()
          },
          bookmark: (_, end) => end && resolve(),
          end: end => received.push(end.how),
        },
        { gzip },
      )
      await promise
      expect(received.length).toBe(500)
      for (const name of ['x', 'y', 'z']) {
        expected = `ADDED ${name}`
        const reported = new Promise<void>(done => {
          wake = done
        })
        expect(await write('POST', path, configMap(name))).toBe(201)
        await reported
      }
      watch.abort()
      expect(received.slice(500)).toEqual(['ADDED x', 'ADDED y', 'ADDED z'])
    },
  )
})
