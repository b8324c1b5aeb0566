import { type AccessAttributes, startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Client, type ClientOptions } from '../client.ts'
import { NodeTransport } from '../connection/node-transport.ts'
import { configMaps } from '../resources/core.ts'
import { roleBindings, roles } from '../resources/rbac.ts'
import { fromUrl } from './access.ts'

describe.each(['h2', 'http/1.1'] as const)('a client that impersonates over %s', protocol => {
  it('has every group that was given', async () => {
    const server = await startApiServer({ authorization: 'RBAC' })
    const { url, token, ca } = server
    const { credentials } = fromUrl(url, { token, ca })
    const client = (impersonate?: ClientOptions['impersonate']): Client =>
      new Client({ url, token, ca, transport: new NodeTransport({ credentials, protocol }), impersonate })
    const admin = client()
    const metadata = { name: 'reader', namespace: 'default' }
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
    await admin.create(roles, { metadata, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }] })
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'ops' }]
    await admin.create(roleBindings, { metadata, roleRef, subjects })
    const here = configMaps.within({ namespaces: ['default'] })

    const one = client({ user: 'jane', groups: ['devs'] })
    await expect(one.list(here)).rejects.toMatchObject({ status: 403 })
    const all = client({ user: 'jane', groups: ['devs', 'ops'] })
    expect((await all.list(here)).items).toBeInstanceOf(Array)
    await Promise.all([admin.close(), one.close(), all.close()])
    await server.close()
  })

  it('has the uid and the extra that were given, key by key and value by value', async () => {
    const users = new Map<string, unknown>()
    const authorization = ({ user }: AccessAttributes): boolean => users.set(user.name, user) !== undefined
    const server = await startApiServer({ authorization })
    const { url, token, ca } = server
    const { credentials } = fromUrl(url, { token, ca })
    const transport = new NodeTransport({ credentials, protocol })
    const impersonate = { user: 'jane', groups: ['a', 'b'], uid: '7', extra: { 'x.io/s%': ['1', '2'], t: ['3'] } }
    const client = new Client({ url, token, ca, transport, impersonate })
    await client.get(configMaps, { name: 'a', namespace: 'default' })
    const groups = ['a', 'b', 'system:authenticated']
    expect(users.get('jane')).toEqual({ ...impersonate, user: undefined, name: 'jane', groups })
    await client.close()
    await server.close()
  })
})
