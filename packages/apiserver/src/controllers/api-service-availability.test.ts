import { describe, expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'

const path = '/apis/apiregistration.k8s.io/v1/apiservices'
const spec = { group: 'b.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 }
const service = { namespace: 'default', name: 'far' }

describe('APIServices', () => {
  it('F1: one without a Service is available at once, one with a Service says why it is not', () =>
    withServer(async ({ call, sim }) => {
      const local = await call('POST', path, {
        metadata: { name: 'v1.a.example.com' },
        spec: { ...spec, group: 'a.example.com' },
      })
      expect([local.status, local.json.status.conditions]).toMatchObject([201, [{ status: 'True', reason: 'Local' }]])
      const made = await call('POST', path, { metadata: { name: 'v1.b.example.com' }, spec: { ...spec, service } })
      expect([made.status, made.json.spec.service.port, made.json.status]).toEqual([201, 443, {}])
      const reason = async (): Promise<string> => {
        await sim.advance(100)
        const { status, reason } = (await call('GET', `${path}/v1.b.example.com`)).json.status.conditions[0]
        return `${status} ${reason}`
      }
      expect(await reason()).toBe('False ServiceNotFound')
      const services = '/api/v1/namespaces/default/services'
      const ports = [{ name: 'https', port: 444 }]
      await call('POST', services, { metadata: { name: 'far' }, spec: { ports } })
      expect(await reason()).toBe('False ServicePortError')
      await call('DELETE', `${services}/far`)
      await call('POST', services, { metadata: { name: 'far' }, spec: { ports: [{ name: 'https', port: 443 }] } })
      expect(await reason()).toBe('False EndpointsNotFound')
      const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
      const labels = { 'kubernetes.io/service-name': 'far' }
      const slice = { metadata: { name: 's', labels }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.9'] }] }
      await call('POST', slices, { ...slice, ports: [{ name: 'other', port: 1 }] })
      expect(await reason()).toBe('False MissingEndpoints')
      await call('POST', slices, { ...slice, metadata: { name: 't', labels }, ports: [{ name: 'https', port: 1 }] })
      expect(await reason()).toBe('False FailedDiscoveryCheck')
    }))

  it('F1: a group that an APIService has elsewhere is answered with the 503 of a server that can not reach it', () =>
    withServer(async ({ call }) => {
      const there = '/apis/b.example.com/v1'
      expect((await call('GET', there)).status).toBe(404)
      await call('POST', path, { metadata: { name: 'v1.b.example.com' }, spec: { ...spec, service } })
      for (const address of [there, `${there}/namespaces/default/flunders`]) {
        const { status, text } = await call('GET', address)
        expect([status, text]).toEqual([503, 'service unavailable\n'])
      }
      await call('DELETE', `${path}/v1.b.example.com`)
      expect((await call('GET', there)).status).toBe(404)
    }))

  it('F1: an APIService with a wrong name, priority or Service is refused', () =>
    withServer(async ({ call }) => {
      const refused = async (given: object): Promise<string[]> =>
        (await call('POST', path, given)).json.details.causes.map((cause: { field: string }) => cause.field)
      expect(await refused({ metadata: { name: 'a' }, spec: {} })).toEqual([
        ...['metadata.name', 'spec.group', 'spec.version', 'spec.groupPriorityMinimum', 'spec.versionPriority'],
      ])
      expect(
        await refused({
          metadata: { name: 'v1.b.example.com' },
          spec: { ...spec, insecureSkipTLSVerify: true, caBundle: 'YQ==', service: { port: 70_000 } },
        }),
      ).toEqual([...['spec.service.namespace', 'spec.service.name', 'spec.service.port', 'spec.insecureSkipTLSVerify']])
    }))
})
