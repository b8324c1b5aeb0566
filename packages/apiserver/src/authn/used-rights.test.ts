import { describe, expect, it } from 'vitest'
import { cm, withServer } from '../testkit/in-memory.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const asApply = { 'content-type': 'application/apply-patch+yaml' }
const jane = { authorization: 'Bearer jane' }
const options = { authorization: 'RBAC', tokens: { jane: { name: 'jane', groups: [] } } } as const

describe('the rights that users made use of', () => {
  it('F1: are a ClusterRole, and a Role for each namespace, of what was allowed', () =>
    withServer(async ({ call, server }) => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' }
      const admin = { authorization: `Bearer ${server.token}` }
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }]
      await call(
        'POST',
        `${rbac}/namespaces/default/rolebindings`,
        { metadata: { name: 'b' }, roleRef, subjects },
        admin,
      )
      await server.resetRights()
      await call('GET', cm, undefined, jane)
      await call('GET', `${cm}/a`, undefined, jane)
      await call('GET', '/api/v1/namespaces/default/services', undefined, jane)
      await call('GET', '/api/v1/namespaces/default/services/a', undefined, jane)
      await call('GET', '/apis/apps/v1/namespaces/default/deployments/a/scale', undefined, jane)
      await call(
        'PATCH',
        `${cm}/b?fieldManager=jane`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
        { ...jane, ...asApply },
      )
      await call('GET', '/version', undefined, jane)
      expect((await call('GET', '/api/v1/nodes', undefined, jane)).status).toBe(403)
      expect((await call('GET', `${rbac}/namespaces/default/roles`, undefined, jane)).status).toBe(403)
      const { jane: used = [], ...others } = await server.rights()
      expect(others).toEqual({})
      const head = { apiVersion: 'rbac.authorization.k8s.io/v1' }
      expect(used).toEqual([
        {
          ...head,
          kind: 'ClusterRole',
          metadata: { name: 'used' },
          rules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
        },
        {
          ...head,
          kind: 'Role',
          metadata: { name: 'used', namespace: 'default' },
          rules: [
            { verbs: ['create', 'get', 'list', 'patch'], apiGroups: [''], resources: ['configmaps'] },
            { verbs: ['get', 'list'], apiGroups: [''], resources: ['services'] },
            { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments/scale'] },
          ],
        },
      ])
      await server.resetStats()
      expect(await server.rights()).not.toEqual({})
      await server.resetRights()
      expect(await server.rights()).toEqual({})
    }, options))

  it('F1: view, edit and admin allow what was added to them by label', () =>
    withServer(async ({ call, server }) => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' }
      const admin = { authorization: `Bearer ${server.token}` }
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }]
      await call(
        'POST',
        `${rbac}/namespaces/default/rolebindings`,
        { metadata: { name: 'b' }, roleRef, subjects },
        admin,
      )
      const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
      const status = async (path: string): Promise<number> => (await call('GET', path, undefined, jane)).status
      expect([await status(cm), await status(`${rbac}/namespaces/default/roles`)]).toEqual([200, 200])
      expect(await status('/api/v1/namespaces/default/resourcequotas')).toBe(200)
      const games = '/apis/arcade.example.com/v1/namespaces/default/games'
      expect([await status(games), await status('/api/v1/nodes'), await status(`${leases}/a`)]).toEqual([403, 403, 404])
      const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
      const rules = [{ verbs: ['list'], apiGroups: ['arcade.example.com'], resources: ['games'] }]
      await call('POST', `${rbac}/clusterroles`, { metadata: { name: 'games', labels }, rules }, admin)
      expect(await status(games)).toBe(404)
    }, options))

  it('F1: say which rights a user granted to others, and whether it had them', () =>
    withServer(
      async ({ call, server }) => {
        const group = 'rbac.authorization.k8s.io'
        const writes = { verbs: ['create', 'patch'], apiGroups: [group], resources: ['roles'] }
        const reads = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
        const escalates = { verbs: ['escalate'], apiGroups: [group], resources: ['roles'] }
        const granted = async (name: string, rules: readonly (typeof reads)[]) => {
          const { user, token } = await server.account(rules, { name })
          const role = { metadata: { name }, rules: [{ ...reads, resourceNames: ['key'] }] }
          const bearer = { authorization: `Bearer ${token}` }
          const { status } = await call('POST', `${rbac}/namespaces/default/roles`, role, bearer)
          const used = (await server.usedRights(user)).filter(({ grants }) => grants !== undefined)
          return { status, used, rules: (await server.rights())[user]?.[0]?.rules }
        }
        const key = { verb: 'get', group: '', resource: 'secrets', namespace: 'default', name: 'key' }
        const used = [{ verb: 'escalate', group, resource: 'roles', namespace: 'default', grants: [key] }]
        const creates = { verbs: ['create'], apiGroups: [group], resources: ['roles'] }
        expect(await granted('holds', [writes, reads])).toEqual({ status: 201, used, rules: [reads, creates] })
        expect(await granted('escalates', [writes, escalates])).toEqual({
          ...{ status: 201, used },
          rules: [{ ...creates, verbs: ['create', 'escalate'] }],
        })
        expect(await granted('neither', [writes])).toEqual({ status: 403, used: [], rules: [creates] })
      },
      { authorization: 'RBAC' },
    ))
})
