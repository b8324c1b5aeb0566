import { describe, expect, it } from 'vitest'
import { closedAfterEach, configMap, configMaps, only, overSockets } from '../bytes/server.fixture.ts'
import { openWatch } from './watch.ts'

const inNamespace = only(configMaps.within({ namespaces: ['ns'] }))
const path = '/api/v1/namespaces/ns/configmaps'

const start = closedAfterEach(overSockets)

describe.each(['h2', 'http/1.1'] as const)('watches the API server, over sockets (%s)', protocol => {
  it.each([false, true])(
    'R9, R24: hears the initial state, its end, and each change at once (gzip: %s)',
    async gzip => {
      const served = await start({ protocol })
      const { server, context, write } = served
      await server.fill(Array.from({ length: 500 }, (_, i) => configMap(`c${i}`, { a: 'ü€𝄞'.repeat(i) })))
      const { promise, resolve } = Promise.withResolvers<void>()
      const heard: string[] = []
      let expected = ''
      let wake: () => void = () => {}
      const watch = openWatch(
        context,
        inNamespace,
        { resourceVersion: '', initialEvents: true },
        {
          event(type, object) {
            heard.push(`${type} ${(object as { metadata: { name: string } }).metadata.name}`)
            if (heard.at(-1) === expected) wake()
          },
          bookmark: (_, end) => end && resolve(),
          end: end => heard.push(end.how),
        },
        { gzip },
      )
      await promise
      expect(heard.length).toBe(500)
      for (const name of ['x', 'y', 'z']) {
        expected = `ADDED ${name}`
        const told = new Promise<void>(done => {
          wake = done
        })
        expect(await write('POST', path, configMap(name))).toBe(201)
        await told
      }
      watch.abort()
      expect(heard.slice(500)).toEqual(['ADDED x', 'ADDED y', 'ADDED z'])
    },
  )
})
