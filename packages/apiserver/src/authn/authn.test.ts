import { describe, expect, it } from 'vitest'
import type { ServerRequest } from '../exchange.ts'
import type { User } from './access.ts'
import { authenticate } from './authenticate.ts'
import { readImpersonation } from './impersonation.ts'

const peer = (certificate?: { commonName: string; organizations: string[] }): ServerRequest['peer'] => ({
  protocol: 'h2',
  certificate,
  goaway() {},
  destroy() {},
  reset() {},
})

const request = (
  headers: Record<string, string> = {},
  certificate?: { commonName: string; organizations: string[] },
): ServerRequest => ({ method: 'GET', path: '/api', headers, body: new Uint8Array(0), peer: peer(certificate) })

const jane: User = { name: 'jane', uid: '7', groups: ['dev'] }
const config = { userByToken: (token: string) => (token === 'secret' ? jane : undefined), anonymous: true }

describe('authenticate', () => {
  it('F1: knows the owner of a bearer token, and adds system:authenticated to its groups', () => {
    const user = { name: 'jane', uid: '7', groups: ['dev', 'system:authenticated'] }
    expect(authenticate(request({ authorization: 'Bearer secret' }), config)).toEqual(user)
    expect(authenticate(request({ authorization: ' bearer secret ' }), config)).toEqual(user)
  })

  it('F1: refuses a token that is nobody’s, also where anonymous requests are let in', () => {
    expect(authenticate(request({ authorization: 'Bearer wrong' }), config)).toBe('unauthorized')
  })

  it('F1: takes other schemes, and a bearer without token, for no credentials', () => {
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
    for (const authorization of ['', 'Basic c2VjcmV0', 'Bearer', 'Bearer ', 'secret']) {
      expect(authenticate(request({ authorization }), config)).toEqual(anonymous)
    }
    expect(authenticate(request(), config)).toEqual(anonymous)
    expect(authenticate(request(), { ...config, anonymous: false })).toBe('unauthorized')
  })

  it('F1: reads user and groups from a client certificate, which goes before a token', () => {
    const certificate = { commonName: 'kube', organizations: ['system:masters', 'ops'] }
    expect(authenticate(request({ authorization: 'Bearer wrong' }, certificate), config)).toEqual({
      name: 'kube',
      groups: ['system:masters', 'ops', 'system:authenticated'],
    })
    expect(authenticate(request({}, { commonName: '', organizations: ['ops'] }), config)).toMatchObject({
      name: 'system:anonymous',
    })
  })

  it('adds no group to a user that has it, and none to an anonymous token', () => {
    const users: User[] = [
      { name: 'a', groups: ['system:authenticated'] },
      { name: 'system:anonymous', groups: [] },
    ]
    for (const user of users) {
      const all = { anonymous: false, userByToken: () => user }
      expect(authenticate(request({ authorization: 'Bearer x' }), all)).toEqual(user)
    }
  })
})

describe('readImpersonation', () => {
  const read = (headers: Record<string, string>) => readImpersonation(jane, { headers, path: '/api?x=1' })
  const asked = { user: jane, verb: 'impersonate', version: '', namespace: '', path: '', group: '', subresource: '' }

  it('F1: is nothing without the headers', () => {
    expect(read({ 'x-impersonate-user': 'a' })).toBe(undefined)
  })

  it('F1: takes a user for another, with a check of that name', () => {
    expect(read({ 'impersonate-user': 'bob' })).toEqual({
      user: { name: 'bob', groups: ['system:authenticated'] },
      checks: [{ ...asked, resource: 'users', name: 'bob' }],
    })
  })

  it('F1: checks each group, extra value and uid on its own', () => {
    const result = read({
      'impersonate-user': 'bob',
      'impersonate-group': 'dev\nops, or',
      'impersonate-uid': 'u1',
      'impersonate-extra-scopes': 'view,edit\nall',
      'impersonate-extra-acme.com%2fproject': 'p',
    })
    expect(result?.user).toEqual({
      name: 'bob',
      uid: 'u1',
      groups: ['dev', 'ops, or', 'system:authenticated'],
      extra: { scopes: ['view,edit', 'all'], 'acme.com/project': ['p'] },
    })
    const authentication = { ...asked, group: 'authentication.k8s.io', version: 'v1' }
    expect(result?.checks).toEqual([
      { ...asked, resource: 'users', name: 'bob' },
      { ...asked, resource: 'groups', name: 'dev' },
      { ...asked, resource: 'groups', name: 'ops, or' },
      { ...authentication, resource: 'userextras', subresource: 'scopes', name: 'view,edit' },
      { ...authentication, resource: 'userextras', subresource: 'scopes', name: 'all' },
      { ...authentication, resource: 'userextras', subresource: 'acme.com/project', name: 'p' },
      { ...authentication, resource: 'uids', name: 'u1' },
    ])
  })

  it('F1: gives a service account its groups, unless groups are given', () => {
    const name = 'system:serviceaccount:prod:web'
    expect(read({ 'impersonate-user': name })).toEqual({
      user: { name, groups: ['system:serviceaccounts', 'system:serviceaccounts:prod', 'system:authenticated'] },
      checks: [{ ...asked, resource: 'serviceaccounts', namespace: 'prod', name: 'web' }],
    })
    expect(read({ 'impersonate-user': name, 'impersonate-group': 'g' })?.user.groups).toEqual([
      'g',
      'system:authenticated',
    ])
    expect(read({ 'impersonate-user': 'system:serviceaccount:prod' })?.checks[0]?.resource).toBe('users')
  })

  it('implies the group of everybody, authenticated or not', () => {
    const groups = (user: string, group?: string) =>
      read({ 'impersonate-user': user, ...(group !== undefined && { 'impersonate-group': group }) })?.user.groups
    expect(groups('system:anonymous')).toEqual(['system:unauthenticated'])
    expect(groups('system:anonymous', 'system:unauthenticated')).toEqual(['system:unauthenticated'])
    expect(groups('bob', 'system:unauthenticated')).toEqual(['system:unauthenticated'])
    expect(groups('bob', 'system:authenticated')).toEqual(['system:authenticated'])
  })

  it('F1: refuses groups, a uid or extras without a user with a 400 that shows them', () => {
    const refusal = {
      code: 400,
      reason: 'BadRequest',
      message:
        'requested &user.DefaultInfo{Name:"", UID:"u1", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} ' +
        'without impersonating a user name',
    }
    expect(() => read({ 'impersonate-group': 'dev', 'impersonate-uid': 'u1' })).toThrow(
      expect.objectContaining(refusal),
    )
    expect(() => read({ 'impersonate-extra-a': 'b' })).toThrow('Extra:map[string][]string{"a":[]string{"b"}}')
  })

  it('X5: an extra named __proto__ is data', () => {
    const user = read({ 'impersonate-user': 'bob', 'impersonate-extra-__proto__': 'x' })?.user
    expect(Object.keys(user?.extra ?? {})).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)[0]).toBe(undefined)
  })
})
