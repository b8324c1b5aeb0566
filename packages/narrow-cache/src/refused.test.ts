import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const names = ['p', 'q', 'r', 's', 't']
const unsupported = { kind: 'status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' } as const

describe('an escalation that may list, and not watch', () => {
  it('N11: does not have all entries move up and down every five minutes', () =>
    withNarrow(
      async ({ narrow, run, server, simulation, requests }) => {
        // A server that can't stream lists: a list, then a watch.
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: unsupported }))
        for (const name of names) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting([])))
        await simulation.advance(60_000)
        requests()
        const { errors } = simulation.environment
        const told = errors.length
        await simulation.advance(3_000_000)
        const asked = requests()
        const own = asked.filter(one => one.includes('fieldSelector'))
        // Ten tries in fifty minutes; watches of single objects last for 30 to 60 minutes.
        expect(own.length, `${asked.length} requests in all`).toBeLessThan(20)
        expect(errors.length - told).toBe(0)
      },
      {
        escalateAt: 3,
        cluster: denying(({ name, resource, verb }) => resource === 'configmaps' && name === '' && verb === 'watch'),
      },
    ))

  it('N11: of all namespaces, does not have those of each end and begin again every five minutes', () =>
    withNarrow(
      async ({ narrow, run, server, simulation, requests }) => {
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: unsupported }))
        for (const path of ['a/p', 'a/q', 'a/r', 'b/p', 'b/q', 'b/r']) {
          await run(() => narrow.watch(configMaps, keyOf(path), noting([])))
        }
        await simulation.advance(60_000)
        requests()
        await simulation.advance(3_000_000)
        const asked = requests()
        expect(simulation.environment.errors.length).toBe(1)
        // Ten tries of a list and a watch.
        expect(asked.length).toBeLessThan(25)
      },
      {
        escalateAllAt: 4,
        cluster: denying(
          ({ name, namespace, resource, verb }) =>
            resource === 'configmaps' && name === '' && verb === 'watch' && namespace === '',
        ),
      },
    ))

  it('N11: refused in many namespaces, are not all tried again at once', () =>
    withNarrow(
      async ({ narrow, run, writer, simulation, requests }) => {
        const all = Array.from({ length: 300 }, (_, i) => `n${i}`)
        for (const name of all) await run(() => writer.create(namespaces, { metadata: { name } }))
        for (const namespace of all)
          for (const name of ['x', 'y']) await run(() => narrow.watch(configMaps, { namespace, name }, noting([])))
        await simulation.advance(60_000)
        requests()
        let most = 0
        let sum = 0
        for (let second = 0; second < 700; second++) {
          await simulation.advance(1000)
          const { length } = requests()
          most = Math.max(most, length)
          sum += length
        }
        expect(most, `${sum} in all`).toBeLessThanOrEqual(100)
      },
      { escalateAllAt: 500, cluster: denying(({ name, resource }) => resource === 'configmaps' && name === '') },
    ))
})
