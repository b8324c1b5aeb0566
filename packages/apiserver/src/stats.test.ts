import { describe, expect, it } from 'vitest'
import { cm, sie, withServer } from './testkit/in-memory.ts'

describe('stats', () => {
  it('F3: requests, bytes and open streams are counted by verb and resource', () =>
    withServer(async ({ call, configMap, server, watch, sim }) => {
      await server.resetStats()
      await configMap('a', { data: { x: 'x'.repeat(1000) } })
      await call('GET', `${cm}/a`)
      await call('GET', `${cm}/none`)
      const list = await call('GET', cm)
      const stream = await watch(`${cm}?${sie}`)
      await sim.advance(10)
      const { byVerb, total, connections } = await server.stats()
      expect(byVerb.get?.configmaps?.requests).toBe(2)
      expect(byVerb.create?.configmaps?.requests).toBe(1)
      const listed = byVerb.list?.configmaps
      expect(listed).toMatchObject({ requests: 1, openStreams: 0 })
      expect((listed?.objectBytes ?? 0) + (listed?.otherBytes ?? 0)).toBe(Buffer.byteLength(list.text))
      expect(listed?.objectBytes).toBe(Buffer.byteLength(JSON.stringify(list.json.items[0])))
      const watched = byVerb.watch?.configmaps
      expect(watched).toMatchObject({ requests: 1, openStreams: 1 })
      const [added = '', mark = ''] = stream.lines
      const envelope = '{"type":"ADDED","object":}\n'.length
      expect(watched?.objectBytes).toBe(added.length + 1 - envelope)
      expect(watched?.otherBytes).toBe(mark.length + 1 + envelope)
      expect(total.requests).toBe(5)
      expect(connections).toEqual({ open: 1, total: 1 })
      stream.abort()
      await sim.advance(10)
      expect((await server.stats()).byVerb.watch?.configmaps?.openStreams).toBe(0)
      await server.resetStats()
      expect((await server.stats()).total).toMatchObject({ requests: 0, objectBytes: 0, otherBytes: 0 })
    }))

  it('F3: a watch of one object costs no byte for its neighbours', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await watch(`${cm}?${sie}&fieldSelector=metadata.name%3Dmine`)
      await sim.advance(10)
      await server.resetStats()
      for (let i = 0; i < 20; i++) await configMap(`other${i}`)
      await sim.advance(10)
      expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({
        objectBytes: 0,
        otherBytes: 0,
        openStreams: 1,
      })
    }))

  it('F3: connections in memory stay counted when they are gone, and a reset starts from zero', () =>
    withServer(async ({ call, server, sim, transport }) => {
      await call('GET', cm)
      await server.breakConnections()
      await sim.advance(10)
      expect((await server.stats()).connections).toEqual({ open: 0, total: 1 })
      await call('GET', cm)
      await server.resetStats()
      expect((await server.stats()).connections).toEqual({ open: 1, total: 0 })
      expect(transport.controls.made()).toBe(2)
    }))

  it('F3: counts a resource that is named as a prototype is', () =>
    withServer(async ({ call, server }) => {
      await call('GET', '/api/v1/__proto__')
      expect(Object.keys((await server.stats()).byVerb.list ?? {})).toEqual(['__proto__'])
    }))
})
