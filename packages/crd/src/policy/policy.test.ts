import { evaluatePolicy, type PolicyManifest } from '@wherry/cel'
import { Client, defineResource, isApiError, type KubernetesObject } from '@wherry/client'
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from '@wherry/client/resources/admissionregistration'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { policy } from './policy.ts'

const games = defineResource<KubernetesObject>({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})
const limit = { name: 'limit', validations: [{ expression: 'object.spec.players < 9', message: 'at most 8' }] }

describe('the manifests of a policy', () => {
  it('have a binding, and what the view chooses', () => {
    const view = games.within({ namespaces: ['a', 'b'], labels: { tier: 'paid' } })
    expect(policy(view, limit)).toEqual({
      policy: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'limit' },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                ...{ apiGroups: ['arcade.example.com'], apiVersions: ['v1'], resources: ['games'] },
                ...{ operations: ['CREATE', 'UPDATE'], scope: 'Namespaced' },
              },
            ],
            namespaceSelector: {
              matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
            },
            objectSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['paid'] }] },
          },
          validations: limit.validations,
        },
      },
      binding: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'limit' },
        spec: { policyName: 'limit', validationActions: ['Deny'] },
      },
    })
  })

  it.each<[path: string, wrong: object]>([
    ['policy.validations[0].expression: compilation failed', { validations: [{ expression: 'object.' }] }],
    ['policy.validations[0].expression: must evaluate to bool', { validations: [{ expression: '1' }] }],
    ["undeclared reference to 'params'", { validations: [{ expression: 'params.x == 1' }] }],
    ['policy.when[0].expression', { when: { a: '1' } }],
    ['policy.variables[1].expression', { variables: { a: '1', b: 'variables.c' } }],
    ['policy.validations takes at least one validation', { validations: [] }],
    ['policy.operations', { operations: [] }],
    ['policy.actions', { actions: ['Refuse'] }],
    ['policy.wehn is an unknown option', { wehn: {} }],
    ['policy.mutations[0]: must evaluate to Object', { validations: undefined, mutations: [{ apply: '1' }] }],
    ['policy.mutations takes at least one mutation', { validations: undefined, mutations: [] }],
    ['for mutations', { validations: undefined, mutations: [{ patch: '[]' }], operations: ['DELETE'] }],
  ])('are refused when they are made: %s', (message, wrong) => {
    const { validations, ...rest } = { ...limit, ...wrong }
    const options = validations === undefined ? rest : { ...rest, validations }
    expect(() => policy(games, options as never)).toThrow(message)
  })

  it('are refused for objects that a policy can not choose', () => {
    expect(() => policy(games.within({ labels: 'size>3' }), limit)).toThrow('label selectors without > and <')
    expect(() => policy(games.within({ fields: 'metadata.name=a' }), limit)).toThrow('without a field selector')
  })
})

/** What a server, and `evaluatePolicy` without one, say of ConfigMaps. */
function onAServer(server: () => ApiServer): void {
  it('refuse what they refuse without a server, with the same message, and change objects', async () => {
    const { url, ca, token } = server()
    const client = new Client({ url, ca, token })
    const name = `policies-${process.pid}`
    const view = configMaps.within({ namespaces: [name], labels: { tier: 'paid' } })
    const limits = policy(view, {
      ...{ name, params: { view: configMaps, name: 'limits', namespace: name } },
      variables: { most: 'int(params.data.most)' },
      when: { 'not-limits': 'request.name != "limits"' },
      validations: [
        {
          expression: 'int(object.data.players) <= variables.most',
          messageExpression: '"at most " + string(variables.most)',
          reason: 'Forbidden',
        },
      ],
    })
    const owner = policy(view, {
      ...{ name: `${name}-owner` },
      mutations: [
        { apply: 'Object{metadata: Object.metadata{labels: {"owner": request.userInfo.username.replace(":", "-")}}}' },
        { patch: '[JSONPatch{op: "add", path: "/data/seen", value: "yes"}]' },
      ],
    })
    const params = { metadata: { namespace: name, name: 'limits' }, data: { most: '8' } }
    const game = (of: string, players: string) => ({
      metadata: { namespace: name, name: of, labels: { tier: 'paid' } },
      data: { players },
    })
    try {
      await client.create(namespaces, { metadata: { name } })
      await client.create(configMaps, params)
      await client.create(validatingAdmissionPolicies, limits.policy)
      await client.create(validatingAdmissionPolicyBindings, limits.binding)
      const said = (players: string): Promise<unknown> =>
        client.create(configMaps, game('chess', players), { dryRun: true }).then(
          () => 'allowed',
          error => (isApiError(error) ? error.message : Promise.reject(error)),
        )
      await vi.waitFor(async () => expect(await said('9')).toContain('denied request: at most 8'), waiting)
      expect(await said('8')).toBe('allowed')
      const answer = (players: string) =>
        evaluatePolicy(limits.policy as PolicyManifest, { object: game('chess', players), params })
      expect(answer('9')).toMatchObject({ matches: true, refusals: [{ message: 'at most 8', reason: 'Forbidden' }] })
      expect(answer('8').refusals).toEqual([])

      await client.create(mutatingAdmissionPolicies, owner.policy)
      await client.create(mutatingAdmissionPolicyBindings, owner.binding)
      await vi.waitFor(async () => {
        const made = await client.create(configMaps, game('go', '2'), { dryRun: true })
        expect(made.data).toEqual({ players: '2', seen: 'yes' })
        expect(made.metadata.labels).toHaveProperty('owner')
      }, waiting)
      const user = { username: 'system:jane' }
      expect(evaluatePolicy(owner.policy as PolicyManifest, { object: game('go', '2'), user }).mutations).toEqual([
        { apply: { metadata: { labels: { owner: 'system-jane' } } } },
        { patch: [{ op: 'add', path: '/data/seen', value: 'yes' }] },
      ])
    } finally {
      await client.delete(validatingAdmissionPolicyBindings, { name })
      await client.delete(validatingAdmissionPolicies, { name })
      await client.delete(mutatingAdmissionPolicyBindings, { name: `${name}-owner` })
      await client.delete(mutatingAdmissionPolicies, { name: `${name}-owner` })
      await client.close()
    }
  })
}

const waiting = { interval: 100, timeout: 60_000 }

describe('policies on the embedded API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer()
  })
  afterAll(() => server.close())
  onAServer(() => server)
})

const available = await realApiServerAvailable('policies')

describe.runIf(available)('policies on a real API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await sharedRealServer()
  })
  onAServer(() => server)
})
