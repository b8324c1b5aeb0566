import { describe, expect, it } from 'vitest'
import { rolesIn } from '../install/roles-in.ts'
import { cm, withServer } from '../testkit/in-memory.ts'

const reads = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }
const writes = { verbs: ['create'], apiGroups: [''], resources: ['secrets'] }

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

describe('an account', () => {
  it('F1: has the rights of its grants, where they hold, and no others', () =>
    withServer(
      async ({ call, server }) => {
        const role = { kind: 'Role', metadata: { name: 'writer', namespace: 'arcade' }, rules: [writes] } as const
        const { user, token } = await server.account([reads, role], { namespace: 'games' })
        expect(user).toBe('system:serviceaccount:games:operator')
        const asked = async (method: string, path: string): Promise<number> => {
          const body = method === 'POST' ? { metadata: { generateName: 'a' } } : undefined
          return (await call(method, path, body, bearer(token))).status
        }
        expect([await asked('GET', cm), await asked('GET', '/api/v1/configmaps')]).toEqual([200, 200])
        expect(await asked('POST', cm)).toBe(403)
        expect(await asked('POST', '/api/v1/namespaces/arcade/secrets')).toBe(201)
        expect(await asked('POST', '/api/v1/namespaces/default/secrets')).toBe(403)
        expect(await asked('GET', '/api/v1/namespaces/arcade/secrets')).toBe(403)
      },
      { authorization: 'RBAC' },
    ))

  it('F1: is granted nothing by a role without rules, as one that aggregates others', () =>
    withServer(
      async ({ call, server }) => {
        const metadata = { name: 'all', labels: {} }
        const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
        const roles = rolesIn(
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, aggregationRule },
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: null },
        )
        const { token } = await server.account([...roles, reads])
        expect((await call('GET', cm, undefined, bearer(token))).status).toBe(200)
        expect((await call('POST', cm, { metadata: { name: 'a' } }, bearer(token))).status).toBe(403)
      },
      { authorization: 'RBAC' },
    ))
})

describe('with enforceOwnerRights, an account', () => {
  it('F1: sets owners that block their deletion only with the right to their finalizers', () =>
    withServer(
      async ({ call, server }) => {
        const { json: owner } = await call('POST', cm, { metadata: { name: 'owner' } }, bearer(server.token))
        const grant = { verbs: ['create', 'patch'], apiGroups: [''], resources: ['configmaps'] }
        const finalizers = { verbs: ['update'], apiGroups: [''], resources: ['configmaps/finalizers'] }
        const asked = async (token: string, name: string, more: object = {}) => {
          const { uid } = owner.metadata
          const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, ...more }
          return call('POST', cm, { metadata: { name, ownerReferences: [reference] } }, bearer(token))
        }
        const some = await server.account([grant], { name: 'some' })
        expect((await asked(some.token, 'a')).status).toBe(201)
        const refused = await asked(some.token, 'b', { blockOwnerDeletion: true })
        expect([refused.status, refused.json.message]).toEqual([
          403,
          expect.stringContaining("an ownerReference refers to a resource you can't set finalizers on"),
        ])
        const changed = { metadata: { ownerReferences: null } }
        const type = { 'content-type': 'application/merge-patch+json' }
        const { status } = await call('PATCH', `${cm}/a`, changed, { ...bearer(some.token), ...type })
        expect(status).toBe(403)
        const { user, token } = await server.account([grant, finalizers], { name: 'more' })
        expect((await asked(token, 'b', { blockOwnerDeletion: true })).status).toBe(201)
        expect((await server.rights())[user]?.at(-1)).toMatchObject({
          rules: [
            { verbs: ['create'], resources: ['configmaps'] },
            { verbs: ['update'], resources: ['configmaps/finalizers'] },
          ],
        })
      },
      { authorization: 'RBAC', enforceOwnerRights: true },
    ))
})
