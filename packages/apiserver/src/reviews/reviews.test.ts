import { describe, expect, it } from 'vitest'
import { type Kit, withServer } from '../testkit/in-memory.ts'

const accounts = '/api/v1/namespaces/default/serviceaccounts'
const pods = '/api/v1/namespaces/default/pods'
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews'
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const containers = [{ name: 'c', image: 'i' }]

async function tokenOf(kit: Kit, spec: object = {}): Promise<string> {
  const { json, text } = await kit.call('POST', `${accounts}/robot/token`, { spec })
  expect(json.status?.token, text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  return json.status.token
}

const robot = async (kit: Kit): Promise<void> =>
  void (await kit.call('POST', accounts, { metadata: { name: 'robot' } }))

describe('tokens of service accounts', () => {
  it('F1: hold until they expire, in simulated time', async () => {
    await withServer(async kit => {
      await robot(kit)
      const token = await tokenOf(kit, { expirationSeconds: 600 })
      expect((await kit.call('GET', '/version', undefined, bearer(token))).status).toBe(200)
      await kit.sim.advance(601_000)
      expect((await kit.call('GET', '/version', undefined, bearer(token))).status).toBe(401)
      const { json } = await kit.call('POST', tokenReviews, { spec: { token } })
      expect(json.status).toEqual({ user: {}, error: '[invalid bearer token, service account token has expired]' })
    })
  })

  it('F1: are nobody else’s: neither changed, nor of another account of that name, nor of another server', async () => {
    await withServer(async kit => {
      await robot(kit)
      const token = await tokenOf(kit)
      const [head, payload = '', signature] = token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      claims.sub = 'system:serviceaccount:kube-system:boss'
      claims['kubernetes.io'].namespace = 'kube-system'
      const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
      for (const wrong of [forged, `${token}x`, `${token}.x`, 'a.b.c', payload]) {
        expect((await kit.call('GET', '/version', undefined, bearer(wrong))).status, wrong).toBe(401)
      }
      await kit.call('DELETE', `${accounts}/robot`)
      expect((await kit.call('GET', '/version', undefined, bearer(token))).status).toBe(401)
      await robot(kit)
      expect((await kit.call('GET', '/version', undefined, bearer(token))).status).toBe(401)
      const fresh = await tokenOf(kit)
      await withServer(
        async other => {
          await robot(other)
          expect((await other.call('GET', '/version', undefined, bearer(fresh))).status).toBe(401)
        },
        { seed: 2 },
      )
    })
  })

  it('F1: name the user, with the object that the token is bound to', async () => {
    await withServer(async kit => {
      await robot(kit)
      await kit.call('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
      const pod = { metadata: { name: 'p' }, spec: { serviceAccountName: 'robot', nodeName: 'n', containers } }
      const { json } = await kit.call('POST', pods, pod)
      const token = await tokenOf(kit, {
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' },
        audiences: ['a'],
      })
      const review = await kit.call('POST', tokenReviews, { spec: { token, audiences: ['b', 'a'] } })
      expect(review.json.status).toEqual({
        authenticated: true,
        audiences: ['a'],
        user: {
          username: 'system:serviceaccount:default:robot',
          uid: expect.any(String),
          groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
          extra: {
            'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
            'authentication.kubernetes.io/pod-name': ['p'],
            'authentication.kubernetes.io/pod-uid': [json.metadata.uid],
            'authentication.kubernetes.io/node-name': ['n'],
            'authentication.kubernetes.io/node-uid': [expect.any(String)],
          },
        },
      })
      expect((await kit.call('GET', '/version', undefined, bearer(token))).status).toBe(401)
    })
  })
})

describe('reviews', () => {
  it('F1: of a server that asks a function answer as the function does, and that rules can not', async () => {
    await withServer(
      async kit => {
        const review = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
        const ask = async (verb: string): Promise<unknown> => {
          const spec = { user: 'ann', resourceAttributes: { verb, resource: 'pods', namespace: 'x' } }
          return (await kit.call('POST', review, { spec }, bearer(kit.server.token))).json.status
        }
        expect(await ask('get')).toEqual({ allowed: true })
        expect(await ask('delete')).toEqual({ allowed: false, reason: 'not today' })
        const rules = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
        const { json } = await kit.call('POST', rules, { spec: { namespace: 'x' } }, bearer(kit.server.token))
        expect(json.status).toEqual({ resourceRules: [], nonResourceRules: [], incomplete: true })
      },
      { authorization: ({ verb, user }) => user.name !== 'ann' || verb !== 'delete' || 'not today' },
    )
  })

  it('F1: store nothing', async () => {
    await withServer(async kit => {
      const before = await kit.server.revision()
      await kit.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      await kit.call('POST', tokenReviews, { spec: { token: 'x' } })
      expect(await kit.server.revision()).toBe(before)
      expect((await kit.call('GET', tokenReviews)).status).toBe(405)
    })
  })
})

describe('an eviction', () => {
  it('F1: takes its share of a budget, and one that is refused takes nothing', async () => {
    await withServer(async kit => {
      const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
      const merge = { 'content-type': 'application/merge-patch+json' }
      for (const name of ['a', 'b', 'c']) {
        await kit.call('POST', pods, { metadata: { name, labels: { app: 'x' } }, spec: { containers } })
        const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
        await kit.call('PATCH', `${pods}/${name}/status`, { status }, merge)
      }
      await kit.call('POST', budgets, { metadata: { name: 'x' }, spec: { selector: { matchLabels: { app: 'x' } } } })
      const status = { observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1 }
      await kit.call('PATCH', `${budgets}/x/status`, { status }, merge)
      const evict = async (name: string): Promise<number> =>
        (await kit.call('POST', `${pods}/${name}/eviction`, { metadata: { name } })).status
      expect([await evict('a'), await evict('b'), await evict('c')]).toEqual([201, 201, 429])
      const { json } = await kit.call('GET', `${budgets}/x`)
      expect(json.status.disruptionsAllowed).toBe(0)
      expect(Object.keys(json.status.disruptedPods)).toEqual(['a', 'b'])
      expect(json.status.conditions).toEqual([expect.objectContaining({ type: 'DisruptionAllowed', status: 'False' })])
      expect((await kit.call('GET', pods)).json.items).toHaveLength(1)
    })
  })
})
