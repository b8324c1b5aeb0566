import { forEachSeed, integer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { configMap, configMaps, hostile, only, simulated } from '../bytes/server.fixture.ts'
import { readItems } from '../list/items.ts'
import { openWatch } from './watch.ts'

const inNamespace = only(configMaps.within({ namespaces: ['ns'] }))
const path = '/api/v1/namespaces/ns/configmaps'
const text = (object: object): string => {
  const { metadata, data } = object as { metadata: { name: string }; data: object }
  return `${metadata.name} ${JSON.stringify(data)}`
}

describe('under connections that break of themselves', () => {
  it('R7, R14: a list is whole or an error, and a watch receives each change once and in order', async () => {
    await forEachSeed(
      async seed => {
        const protocol = seed % 3 === 0 ? 'http/1.1' : 'h2'
        const { server, context, simulation, transport, write, close } = await simulated(seed, { protocol })
        const random = simulation.random.fork('test')
        const fill = Array.from({ length: integer(random, 0, 40) }, (_, i) =>
          configMap(`f${i}`, { a: hostile.repeat(integer(random, 0, 60)) }),
        )
        await server.fill([configMap('first'), ...fill])
        const all = [configMap('first'), ...fill].map(text).sort()

        const list = async (): Promise<{ items: string[]; resourceVersion: string | undefined }> => {
          const items: string[] = []
          const { metadata } = await readItems(context, inNamespace, '', item => items.push(text(item)))
          return { items, resourceVersion: metadata.resourceVersion }
        }
        const tried = (): Promise<Awaited<ReturnType<typeof list>> | undefined> =>
          simulation.run(() => list().catch(() => undefined))
        transport.controls.setFaults({ kill: 0.5, goaway: 0.2 })
        for (let i = 0; i < 4; i++) {
          const listed = await tried()
          if (listed !== undefined) expect(listed.items.sort()).toEqual(all)
        }
        transport.controls.setFaults({})
        // a connection may still be doomed by the faults of before
        let last: string | undefined
        while (last === undefined) last = (await tried())?.resourceVersion

        const received: string[] = []
        let watching = true
        const watch = (): void => {
          openWatch(
            context,
            inNamespace,
            { resourceVersion: last as string },
            {
              event(type, object) {
                received.push(`${type} ${text(object)}`)
                last = (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion
              },
              bookmark(resourceVersion) {
                last = resourceVersion
              },
              end({ how }) {
                expect(['closed', 'broken']).toContain(how)
                if (watching) watch()
              },
            },
            { timeoutSeconds: 3 },
          )
        }
        watch()
        transport.controls.setFaults({ kill: 0.5, goaway: 0.2 })
        const expected: string[] = []
        for (let i = 0; i < 12; i++) {
          const made = configMap(`w${i}`, { a: hostile.repeat(integer(random, 0, 30)) })
          // a write that got no answer may have been made
          const sure = await simulation.run(() => write('POST', path, made).then(String, () => ''))
          if (sure === '201') expected.push(`ADDED ${text(made)}`)
          await simulation.advance(integer(random, 0, 2000))
        }
        transport.controls.setFaults({})
        await simulation.advance(4000)
        watching = false
        await simulation.advance(10_000)
        expect(received.filter(line => expected.includes(line))).toEqual(expected)
        expect(new Set(received).size).toBe(received.length)
        await close()
      },
      { seeds: 100 },
    )
  })
})
