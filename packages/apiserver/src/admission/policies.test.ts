import { describe, expect, it } from 'vitest'
import { cm, type Kit, withServer } from '../testkit/in-memory.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const resourceRules = [
  { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
]

async function made(kit: Kit, path: string, name: string, spec: object): Promise<void> {
  const { status, text } = await kit.call('POST', `${group}/${path}`, { metadata: { name }, spec })
  expect(status, text).toBe(201)
}

async function bind(kit: Kit, spec: object, binding: object = {}): Promise<void> {
  await made(kit, 'validatingadmissionpolicies', 'p', { matchConstraints: { resourceRules }, ...spec })
  const bound = { policyName: 'p', validationActions: ['Deny'], ...binding }
  await made(kit, 'validatingadmissionpolicybindings', 'b', bound)
}

const create = (kit: Kit, name: string, data: object): ReturnType<Kit['call']> =>
  kit.call('POST', cm, { metadata: { name }, data })

describe('validating admission policies', () => {
  it('F1: refuse what their expressions do not hold for, once they are bound', () =>
    withServer(async kit => {
      const validations = [{ expression: 'variables.n < 3', messageExpression: "string(variables.n) + ' is too many'" }]
      const variables = [{ name: 'n', expression: 'int(object.data.n)' }]
      const spec = { matchConstraints: { resourceRules }, validations, variables }
      await made(kit, 'validatingadmissionpolicies', 'p', spec)
      expect((await create(kit, 'before', { n: '5' })).status).toBe(201)
      await made(kit, 'validatingadmissionpolicybindings', 'b', { policyName: 'p', validationActions: ['Deny'] })
      expect((await create(kit, 'few', { n: '2' })).status).toBe(201)
      const { status, json } = await create(kit, 'many', { n: '4' })
      const why = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: 4 is too many"
      expect([status, json.reason, json.message]).toEqual([422, 'Invalid', `configmaps "many" is forbidden: ${why}`])
      expect(json.details).toEqual({ name: 'many', kind: 'configmaps', causes: [{ message: why }] })
      expect((await kit.call('DELETE', `${group}/validatingadmissionpolicybindings/b`)).status).toBe(200)
      expect((await create(kit, 'many', { n: '4' })).status).toBe(201)
    }))

  it('F1: are evaluated with each of their params', () =>
    withServer(async kit => {
      await kit.configMap('one', { labels: { p: 'x' }, data: { max: '1' } })
      await kit.configMap('two', { labels: { p: 'x' }, data: { max: '2' } })
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
      const validations = [
        {
          expression: 'int(object.data.n) <= int(params.data.max)',
          messageExpression: 'string(params.metadata.name)',
          reason: 'Forbidden',
        },
      ]
      const selector = { matchLabels: { p: 'x' } }
      await bind(kit, { paramKind, validations }, { paramRef: { selector, parameterNotFoundAction: 'Deny' } })
      expect((await create(kit, 'a', { n: '1' })).status).toBe(201)
      const { status, json } = await create(kit, 'b', { n: '2' })
      expect([status, json.message]).toEqual([403, expect.stringMatching(/denied request: one$/)])
      for (const name of ['one', 'two']) await kit.call('DELETE', `${cm}/${name}`)
      expect((await create(kit, 'b', { n: '1' })).json.message).toMatch(
        /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/,
      )
    }))

  it('F1: warn where their binding says so, and let pass what they fail at where they say so', () =>
    withServer(async kit => {
      const validations = [{ expression: "object.data.n == '1'", message: 'not one' }]
      await bind(kit, { validations, failurePolicy: 'Ignore' }, { validationActions: ['Warn'] })
      const { status, headers } = await create(kit, 'a', { n: '2' })
      const text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': not one"
      expect([status, headers.warning]).toEqual([201, [`299 - "${text}"`]])
      const silent = await create(kit, 'b', { other: '2' })
      expect([silent.status, silent.headers.warning]).toEqual([201, undefined])
    }))

  it('F1: are about the requests that their conditions and their bindings select', () =>
    withServer(async kit => {
      const spec = {
        matchConditions: [{ name: 'counted', expression: 'has(object.data.n)' }],
        validations: [{ expression: "object.data.n == '1'" }],
      }
      const matchResources = { objectSelector: { matchLabels: { bound: 'yes' } } }
      await bind(kit, spec, { matchResources })
      const status = async (name: string, data: object, labels: object): Promise<number> =>
        (await kit.call('POST', cm, { metadata: { name, labels }, data })).status
      expect(await status('a', { n: '2' }, { bound: 'yes' })).toBe(422)
      expect(await status('b', { n: '1' }, { bound: 'yes' })).toBe(201)
      expect(await status('c', { m: '2' }, { bound: 'yes' })).toBe(201)
      expect(await status('d', { n: '2' }, {})).toBe(201)
    }))

  it('F1: with expressions that can not be evaluated are refused', () =>
    withServer(async kit => {
      const spec = { matchConstraints: { resourceRules }, validations: [{ expression: 'variables.x == params.y' }] }
      const path = `${group}/validatingadmissionpolicies`
      const { status, json } = await kit.call('POST', path, { metadata: { name: 'p' }, spec })
      expect([status, json.message]).toEqual([422, expect.stringContaining("undeclared reference to 'params'")])
    }))
})

describe('mutating admission policies', () => {
  it('F1: change written objects, by apply configurations and JSON patches, in order', () =>
    withServer(async kit => {
      const mutations = [
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: "Object{data: {'a': object.data.n}}" } },
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/b', value: object.data.a + '!'}]" },
        },
      ]
      const spec = { matchConstraints: { resourceRules }, reinvocationPolicy: 'Never', mutations }
      await made(kit, 'mutatingadmissionpolicies', 'm', spec)
      await made(kit, 'mutatingadmissionpolicybindings', 'm', { policyName: 'm' })
      expect((await create(kit, 'x', { n: '1' })).json.data).toEqual({ n: '1', a: '1', b: '1!' })
      const { status, json } = await create(kit, 'y', { other: '1' })
      expect([status, json.message]).toEqual([403, expect.stringContaining('no such key: n')])
    }))
})
