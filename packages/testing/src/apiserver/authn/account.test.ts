import { describe, expect, it } from 'vitest'
import { cm, withServer } from '../testkit/in-memory.ts'

const reads = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }
const writes = { verbs: ['create'], apiGroups: [''], resources: ['secrets'] }

describe('an account', () => {
  it('F1: has the rights of its grants, where they hold, and no others', () =>
    withServer(
      async ({ call, server }) => {
        const role = { kind: 'Role', metadata: { name: 'any', namespace: 'arcade' }, rules: [writes] } as const
        const { user, token } = await server.account([reads, role], { namespace: 'games' })
        expect(user).toBe('system:serviceaccount:games:operator')
        const asked = async (method: string, path: string): Promise<number> => {
          const body = method === 'POST' ? { metadata: { generateName: 'a' } } : undefined
          return (await call(method, path, body, { authorization: `Bearer ${token}` })).status
        }
        expect([await asked('GET', cm), await asked('GET', '/api/v1/configmaps')]).toEqual([200, 200])
        expect(await asked('POST', cm)).toBe(403)
        expect(await asked('POST', '/api/v1/namespaces/arcade/secrets')).toBe(201)
        expect(await asked('POST', '/api/v1/namespaces/default/secrets')).toBe(403)
        expect(await asked('GET', '/api/v1/namespaces/arcade/secrets')).toBe(403)
      },
      { authorization: 'RBAC' },
    ))
})
