import { describe, expect, it } from 'vitest'
import { merge, withServer } from './testkit/in-memory.ts'

const spec = { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] }
const template = { metadata: { labels: { app: 'a' } }, spec }
const bare: readonly (readonly [path: string, object: object])[] = [
  ['/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', data: {} }],
  ['/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', spec }],
  ['/apis/batch/v1/namespaces/default/jobs', { apiVersion: 'batch/v1', kind: 'Job', spec: { template } }],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    { apiVersion: 'apps/v1', kind: 'StatefulSet', spec: { selector: { matchLabels: { app: 'a' } }, template } },
  ],
]

describe('fill', () => {
  it('F1: a namespace can be changed, and deleted with its objects', () =>
    withServer(async ({ call, server, sim }) => {
      const [path, inside] = ['/api/v1/namespaces/mine', '/api/v1/namespaces/mine/configmaps/a']
      await server.fill([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine', labels: { team: 'a' } } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'mine' } },
      ])
      const changed = await call('PATCH', path, { metadata: { labels: { team: 'b' } } }, merge)
      expect(changed).toMatchObject({ status: 200, json: { metadata: { labels: { team: 'b' } } } })
      expect((await call('DELETE', path)).status).toBe(200)
      await sim.advance(10_000)
      expect([(await call('GET', path)).status, (await call('GET', inside)).status]).toEqual([404, 404])
    }))

  it('F1: a namespace that it makes is found by its name label, as one that was created', () =>
    withServer(async ({ call, server }) => {
      await server.fill([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'made' } }])
      const found = await call('GET', '/api/v1/namespaces?labelSelector=kubernetes.io/metadata.name%3Dmade')
      expect(found.json.items).toMatchObject([{ metadata: { name: 'made' } }])
    }))

  it.each(bare)('F1: what it stored of %s without the defaults of a server can be labelled and replaced', (path, one) =>
    withServer(async ({ call, server }) => {
      await server.fill([{ ...one, metadata: { name: 'a', namespace: 'default' } }])
      const url = `${path}/a`
      const patched = await call('PATCH', url, { metadata: { labels: { by: 'patch' } } }, merge)
      expect(patched).toMatchObject({ status: 200, json: { metadata: { labels: { by: 'patch' } } } })
      await server.fill([{ ...one, metadata: { name: 'a', namespace: 'default' } }])
      const { metadata, ...rest } = (await call('GET', url)).json
      const replaced = await call('PUT', url, { ...rest, metadata: { ...metadata, labels: { by: 'put' } } })
      expect(replaced).toMatchObject({ status: 200, json: { metadata: { labels: { by: 'put' } } } })
    }),
  )

  it('F1: what can not be changed elsewhere can not be changed of what it stored either', () =>
    withServer(async ({ call, server }) => {
      await server.fill(bare.map(([, one]) => ({ ...one, metadata: { name: 'a', namespace: 'default' } })))
      const changes = [{ type: 'Other' }, { spec: { hostname: 'other' } }, { spec: { completionMode: 'Indexed' } }]
      for (const [i, change] of [...changes, { spec: { serviceName: 'other' } }].entries()) {
        expect((await call('PATCH', `${bare[i]?.[0]}/a`, change, merge)).status).toBe(422)
      }
    }))
})
