import { describe, expect, it } from 'vitest'
import { cm, definitions, gameDefinition, sie, withServer } from './testkit/in-memory.ts'

describe('an embedded server that closes', () => {
  it('F5: leaves no timer, whatever is under way', () =>
    withServer(
      async ({ call, configMap, server, watch, connection, sim }) => {
        await configMap('a')
        const streams = [
          await watch(`${cm}?${sie}&timeoutSeconds=300`),
          await watch(`${cm}?watch=1&allowWatchBookmarks=true&resourceVersion=1`),
          await watch(`${cm}?${sie}&resourceVersion=100000`),
        ]
        await server.faults.add({ match: { verb: 'get' }, effect: { kind: 'delay', ms: 5000 } })
        await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'slow', bytesPerSecond: 10 } })
        await call('POST', definitions, gameDefinition())
        const broken: string[] = []
        const link = await connection()
        for (const path of [`${cm}/a`, cm]) {
          const on = { head: () => {}, data: () => {}, end: () => {}, error: () => broken.push(path) }
          link.request({ method: 'GET', path, headers: {} }, on)
        }
        await sim.advance(10)
        expect(streams.map(stream => stream.state())).toEqual(['open', 'open', 'open'])

        await server.close()
        // The timers that are left notify the clients, at this very moment.
        const now = sim.clock.monotonic()
        expect(sim.pending().filter(line => !line.startsWith(`timer at ${now} ms`))).toEqual(['run'])
        await sim.settle()
        expect(streams.map(stream => stream.state())).toEqual(Array(3).fill(expect.any(Error)))
        expect(broken).toEqual([`${cm}/a`, cm])
      },
      { network: { latencyMs: 0 }, establishMs: 500 },
    ))

  it('F5: leaves no timer of a call to a webhook that never answers', () =>
    withServer(
      async ({ call, server, sim }) => {
        const webhook = {
          ...{ name: 'a.example.com', clientConfig: { url: 'https://a.example.com' }, sideEffects: 'None' },
          ...{ admissionReviewVersions: ['v1'], timeoutSeconds: 30 },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] }],
        }
        const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
        await call('POST', path, { metadata: { name: 'a' }, webhooks: [webhook] })
        const asked = call('POST', cm, { metadata: { name: 'a' } })
        asked.catch(() => undefined)
        await sim.advance(10)
        await server.close()
        await expect(asked).rejects.toThrow()
        await sim.settle()
        expect(sim.pending()).toEqual(['run'])
      },
      { webhooks: () => new Promise(() => undefined) },
    ))
})
