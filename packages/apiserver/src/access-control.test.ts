import { describe, expect, it } from 'vitest'
import { cm, sie, withServer } from './testkit/in-memory.ts'

const reader = { name: 'reader', groups: ['team'] }
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const rbac = '/apis/rbac.authorization.k8s.io/v1'

describe('access', () => {
  it('F1: a wrong token is 401, no token is anonymous unless that is off', async () => {
    await withServer(async ({ call, server }) => {
      const wrong = await call('GET', cm, undefined, bearer('nope'))
      expect([wrong.status, wrong.json.reason]).toEqual([401, 'Unauthorized'])
      expect((await call('GET', cm, undefined, bearer(server.token))).status).toBe(200)
      expect((await call('GET', cm)).status).toBe(200)
    })
    await withServer(async ({ call }) => expect((await call('GET', cm)).status).toBe(401), { anonymous: false })
  })

  it('F1: RBAC lets through what a bound role allows, and words the rest as the real server does', () =>
    withServer(
      async ({ call, server }) => {
        const admin = bearer(server.token)
        const as = bearer('reader-token')
        const refused = await call('GET', cm, undefined, as)
        expect([refused.status, refused.json.message]).toEqual([
          403,
          'configmaps is forbidden: User "reader" cannot list resource "configmaps" in API group "" in the namespace "default"',
        ])
        const rules = [
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'], resourceNames: ['mine'] },
        ]
        await call('POST', `${rbac}/namespaces/default/roles`, { metadata: { name: 'r' }, rules }, admin)
        const binding = {
          metadata: { name: 'b' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'team' }],
        }
        await call('POST', `${rbac}/namespaces/default/rolebindings`, binding, admin)
        expect((await call('GET', `${cm}/mine`, undefined, as)).status).toBe(404)
        expect((await call('GET', `${cm}?fieldSelector=metadata.name%3Dmine`, undefined, as)).status).toBe(200)
        expect((await call('GET', `${cm}?fieldSelector=metadata.name%3Dother`, undefined, as)).status).toBe(403)
        expect((await call('GET', `${cm}?${sie}`, undefined, as)).status).toBe(403)
        expect((await call('DELETE', `${cm}/mine`, undefined, as)).status).toBe(403)
        expect((await call('GET', '/apis', undefined, as)).status).toBe(200)
        await call('DELETE', `${rbac}/namespaces/default/rolebindings/b`, undefined, admin)
        expect((await call('GET', `${cm}/mine`, undefined, as)).status).toBe(403)
      },
      { authorization: 'RBAC', tokens: { 'reader-token': reader } },
    ))

  it('F1: an update that would create its object needs the right to create', () =>
    withServer(
      async ({ call, server }) => {
        const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] }]
        await call('POST', `${rbac}/clusterroles`, { metadata: { name: 'r' }, rules }, bearer(server.token))
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
        const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'reader' }]
        const binding = { metadata: { name: 'b' }, roleRef, subjects }
        await call('POST', `${rbac}/clusterrolebindings`, binding, bearer(server.token))
        const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'
        let resourceVersion: string | undefined
        const put = async (token: string): Promise<[number, string | undefined]> => {
          const metadata = { name: 'a', resourceVersion }
          const { status, json } = await call('PUT', lease, { metadata }, bearer(token))
          resourceVersion = json.metadata.resourceVersion
          return [status, json.message]
        }
        expect(await put('reader-token')).toEqual([403, expect.stringContaining('User "reader" cannot create')])
        expect(await put(server.token)).toEqual([201, undefined])
        expect(await put('reader-token')).toEqual([200, undefined])
      },
      { authorization: 'RBAC', tokens: { 'reader-token': reader } },
    ))

  it('F1: only users with the right to impersonate impersonate somebody else', () =>
    withServer(
      async ({ call, server }) => {
        const asReader = { 'impersonate-user': 'reader' }
        expect(
          (await call('GET', cm, undefined, { ...bearer('reader-token'), 'impersonate-user': 'boss' })).status,
        ).toBe(403)
        const { status, json } = await call('GET', cm, undefined, { ...bearer(server.token), ...asReader })
        expect([status, json.message]).toEqual([403, expect.stringContaining('User "reader" cannot list')])
      },
      { authorization: 'RBAC', tokens: { 'reader-token': reader } },
    ))

  it('F1: an authorizer function decides, and may say why not', () =>
    withServer(
      async ({ call }) => {
        expect((await call('GET', cm)).status).toBe(200)
        const refused = await call('POST', cm, { metadata: { name: 'a' } })
        expect([refused.status, refused.json.message]).toEqual([
          403,
          expect.stringMatching(/cannot create.*: read only$/),
        ])
      },
      { authorization: ({ verb }) => verb !== 'create' || 'read only' },
    ))
})
