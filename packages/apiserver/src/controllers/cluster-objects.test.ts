import { describe, expect, it } from 'vitest'
import { type Answer, merge, withServer } from '../testkit/in-memory.ts'

const account = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/default`
const rootCa = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`

const namesOf = ({ json }: Answer): string[] =>
  json.items.map((item: { metadata: { name: string } }) => item.metadata.name)

describe('the objects that every cluster has', () => {
  it('F1: are there from the start, and in each namespace that comes', () =>
    withServer(
      async ({ call, sim }) => {
        const status = async (path: string): Promise<number> => (await call('GET', path)).status
        for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
          expect([await status(account(namespace)), await status(rootCa(namespace))]).toEqual([200, 200])
        }
        expect((await call('GET', '/api/v1/namespaces/default/services/kubernetes')).json.spec.clusterIP).toBe(
          '10.0.0.1',
        )
        expect((await call('GET', rootCa('default'))).json).toMatchObject({
          metadata: { annotations: { 'kubernetes.io/description': expect.stringMatching(/^Contains a CA bundle/) } },
          data: { 'ca.crt': expect.any(String) },
        })
        const classes = '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical'
        expect((await call('GET', classes)).json.value).toBe(2_000_001_000)
        expect(await status('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')).toBe(200)
        await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
        await call('DELETE', account('default'))
        await call('DELETE', rootCa('default'))
        await sim.advance(100)
        for (const namespace of ['default', 'shop']) {
          expect([await status(account(namespace)), await status(rootCa(namespace))]).toEqual([200, 200])
        }
      },
      { clusterObjects: true },
    ))

  it('F1: the CA of a namespace is put right', () =>
    withServer(
      async ({ call, sim }) => {
        await sim.advance(100)
        const made = (await call('GET', rootCa('default'))).json
        expect(made.metadata.managedFields).toHaveLength(1)
        const change = {
          data: { 'ca.crt': 'mine', more: 'x' },
          metadata: { annotations: null, labels: { mine: 'kept' } },
        }
        await call('PATCH', rootCa('default'), change, merge)
        await sim.advance(100)
        const { data, metadata } = (await call('GET', rootCa('default'))).json
        expect({ data, ...metadata }).toMatchObject({
          data: made.data,
          annotations: made.metadata.annotations,
          labels: { mine: 'kept' },
        })
      },
      { clusterObjects: true },
    ))

  it('F1: the CA of a namespace stays wrong if a user made it immutable', () =>
    withServer(
      async ({ call, sim }) => {
        await sim.advance(100)
        await call('PATCH', rootCa('default'), { data: { 'ca.crt': 'mine' }, immutable: true }, merge)
        await sim.advance(100)
        expect((await call('GET', rootCa('default'))).json.data).toEqual({ 'ca.crt': 'mine' })
        await call('DELETE', rootCa('default'))
        await sim.advance(100)
        expect((await call('GET', rootCa('default'))).json.data).not.toEqual({ 'ca.crt': 'mine' })
      },
      { clusterObjects: true },
    ))

  it('F1: do not keep a namespace from going', () =>
    withServer(
      async ({ call, sim }) => {
        await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
        await sim.advance(100)
        await call('DELETE', '/api/v1/namespaces/shop')
        await sim.advance(1000)
        expect((await call('GET', '/api/v1/namespaces/shop')).status).toBe(404)
        expect((await call('GET', '/api/v1/configmaps')).json.items).toHaveLength(6)
      },
      { clusterObjects: true },
    ))

  it('F1: of them, a bare API server creates its own, and none in each namespace', () =>
    withServer(
      async ({ call, sim }) => {
        await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
        await sim.advance(100)
        expect((await call('GET', '/api/v1/serviceaccounts')).json.items).toEqual([])
        expect(namesOf(await call('GET', '/api/v1/configmaps'))).toEqual([
          'extension-apiserver-authentication',
          'kube-apiserver-legacy-service-account-token-tracking',
        ])
        expect(namesOf(await call('GET', '/api/v1/services'))).toEqual(['kubernetes'])
      },
      { clusterObjects: true, controllers: false },
    ))

  it('F1: are not there with `clusterObjects: false`', () =>
    withServer(async ({ call }) => expect((await call('GET', '/api/v1/configmaps')).json.items).toEqual([]), {
      clusterObjects: false,
    }))
})
