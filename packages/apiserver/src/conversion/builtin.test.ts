import { describe, expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'

const scalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
const target = { type: 'Utilization', averageUtilization: 50 }
const cpu = { type: 'Resource', resource: { name: 'cpu', target } }
const memory = { type: 'Resource', resource: { name: 'memory', target } }

describe('built-ins that are stored at another version', () => {
  it('F1: keep what their version has no field for', () =>
    withServer(async ({ call }) => {
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
      const spec = { scaleTargetRef, maxReplicas: 3, metrics: [cpu, memory], behavior: { scaleUp: { tolerance: '1' } } }
      const status = { conditions: [{ type: 'AbleToScale', status: 'True' }] }
      await call('POST', scalers('v2'), { metadata: { name: 'a', annotations: { mine: 'kept' } }, spec })
      const asMerge = { 'content-type': 'application/merge-patch+json' }
      await call('PATCH', `${scalers('v2')}/a/status`, { status }, asMerge)
      const before = (await call('GET', `${scalers('v2')}/a`)).json
      const old = (await call('GET', `${scalers('v1')}/a`)).json
      expect(old.spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 })
      const changed = { ...old, spec: { ...old.spec, maxReplicas: 4 } }
      expect((await call('PUT', `${scalers('v1')}/a`, changed)).status).toBe(200)
      const after = (await call('GET', `${scalers('v2')}/a`)).json
      expect(after.spec).toEqual({ ...before.spec, maxReplicas: 4 })
      expect(after.status).toEqual(before.status)
      expect(after.metadata.annotations).toEqual({ mine: 'kept' })
    }))

  it('F1: go with their namespace, once, whichever version they came by', () =>
    withServer(async ({ call, server, sim }) => {
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
      const events = '/apis/events.k8s.io/v1/namespaces/shop/events'
      const event = {
        ...{ metadata: { name: 'a' }, regarding: { namespace: 'shop' }, type: 'Normal', action: 'A', reason: 'R' },
        ...{ eventTime: '2024-01-01T00:00:00.000000Z', reportingController: 'c', reportingInstance: 'i' },
      }
      expect((await call('POST', events, { ...event, note: 'sold' })).status).toBe(201)
      expect((await call('GET', '/api/v1/events')).json.items).toMatchObject([{ message: 'sold' }])
      await call('DELETE', '/api/v1/namespaces/shop')
      await sim.advance(100)
      expect((await call('GET', '/api/v1/namespaces/shop')).status).toBe(404)
      expect((await call('GET', '/apis/events.k8s.io/v1/events')).json.items).toEqual([])
      expect(server.storedVersions('events')).toEqual({})
    }))

  it('F1: are filled in at either version', () =>
    withServer(async ({ call, server }) => {
      const head = { apiVersion: 'events.k8s.io/v1', kind: 'Event' }
      await server.fill([{ ...head, metadata: { name: 'a', namespace: 'default' }, note: 'sold' }])
      expect((await call('GET', '/api/v1/events')).json.items).toMatchObject([{ message: 'sold' }])
      expect((await call('GET', '/apis/events.k8s.io/v1/events')).json.items).toMatchObject([{ note: 'sold' }])
    }))
})
