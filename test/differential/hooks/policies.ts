import { type HookScenario, type Kit, type Policy, rule } from './kit.ts'

const cms = '/api/v1/namespaces/{ns}/configmaps'
const merge = 'application/merge-patch+json'
const all = ['CREATE', 'UPDATE', 'DELETE']
const rules = [rule(all, ['configmaps'])]

/** A policy with one binding of its own name, about ConfigMaps that are labelled with it. */
function policy(name: string, spec: object, binding: object = {}): Policy {
  const matchConstraints = { objectSelector: { matchLabels: { case: name } } }
  return { rules, spec: { matchConstraints, ...spec }, bindings: { [name]: binding } }
}

function configMap(name: string, labels: object, data: object = { k: 'v' }): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data }
}

/** Policies of one case each, and what is tried with each. */
async function tryCases(
  kit: Kit,
  cases: Readonly<Record<string, readonly [spec: object, binding?: object]>>,
): Promise<void> {
  await kit.bind(
    Object.fromEntries(Object.entries(cases).map(([name, [spec, binding]]) => [name, policy(name, spec, binding)])),
  )
  for (const name of Object.keys(cases)) {
    await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { case: name }) })
  }
}

const deny = (expression: string, more: object = {}): Policy['spec'] => ({ validations: [{ expression, ...more }] })

async function refusedPolicy(kit: Kit, spec: object): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All'
  await kit.ask('POST', path, { body: { metadata: { name: 'wrong' }, spec }, headers: {} })
}

async function refusedBinding(kit: Kit, spec: object): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All'
  await kit.ask('POST', path, { body: { metadata: { name: 'wrong' }, spec }, headers: {} })
}

const matchConstraints = { resourceRules: rules }

export const policyScenarios: readonly HookScenario[] = [
  {
    name: 'policies refuse what their expressions do not hold for',
    async run(kit) {
      await tryCases(kit, {
        plain: [deny(" object.data.k == 'w' ")],
        holds: [deny("object.data.k == 'v'")],
        message: [deny('false', { message: ' no such thing ' })],
        made: [deny('false', { message: 'other', messageExpression: "'k is ' + object.data.k" })],
        unmade: [deny('false', { message: 'other', messageExpression: "object.data.absent + ''" })],
        lines: [deny('false', { messageExpression: "'a\\nb'" })],
        forbidden: [deny('false', { reason: 'Forbidden' })],
        large: [deny('false', { reason: 'RequestEntityTooLarge' })],
        fails: [deny("object.data.absent == 'x'")],
        ignores: [{ ...deny("object.data.absent == 'x'"), failurePolicy: 'Ignore' }],
        second: [{ validations: [{ expression: 'true' }, { expression: '1 == 2' }, { expression: 'false' }] }],
        namespace: [
          deny("namespaceObject.metadata.name != request.namespace || namespaceObject.status.phase != 'Active'"),
        ],
        user: [deny("request.userInfo.username != 'ann'", { messageExpression: 'request.userInfo.username' })],
        unmet: [{ ...deny('false'), matchConditions: [{ name: 'a', expression: 'object.data.k != "v"' }] }],
        met: [{ ...deny('false'), matchConditions: [{ name: 'a', expression: 'object.data.k == "v"' }] }],
        broken: [{ ...deny('false'), matchConditions: [{ name: 'a', expression: 'object.data.absent == ""' }] }],
        may: [deny("authorizer.group('').resource('secrets').check('list').allowed() == false")],
        warned: [deny('false'), { validationActions: ['Warn'] }],
        audited: [deny('false'), { validationActions: ['Audit'] }],
        both: [deny('false'), { validationActions: ['Audit', 'Deny'] }],
        annotated: [{ auditAnnotations: [{ key: 'k', valueExpression: "'a ' + object.data.k" }] }],
        unannotated: [
          { auditAnnotations: [{ key: 'k', valueExpression: "object.data.absent + ''" }] },
          { validationActions: ['Audit'] },
        ],
      })
    },
  },
  {
    name: 'variables of policies are made when they are read',
    async run(kit) {
      const variables = [
        { name: 'k', expression: 'object.data.k' },
        { name: 'twice', expression: 'variables.k + variables.k' },
        { name: 'bad', expression: 'object.data.absent' },
        { name: 'worse', expression: "variables.bad + 'x'" },
        { name: 'list', expression: '[1, 2, 3].map(x, x * 2)' },
      ]
      await tryCases(kit, {
        reads: [{ variables, ...deny("variables.twice == 'w'", { messageExpression: "'is ' + variables.twice" }) }],
        fails: [{ variables, ...deny("variables.bad == 'w'") }],
        deep: [{ variables, ...deny("variables.worse == 'w'") }],
        sums: [{ variables, ...deny('variables.list.sum() == 12') }],
        unread: [{ variables, ...deny("variables.k == 'v' || variables.bad == ''") }],
      })
    },
  },
  {
    name: 'policies are evaluated with params',
    async run(kit) {
      const make = (name: string, labels: object, data: object): Promise<unknown> =>
        kit.quietly('POST', `/api/v1/namespaces/${kit.ns}/configmaps`, configMap(name, labels, data))
      await make('p1', { p: 'one' }, { max: '1' })
      await make('p2', { p: 'two' }, { max: '2' })
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
      const spec = {
        paramKind,
        ...deny("params.data.max == '2'", { messageExpression: "params.metadata.name + ' ' + params.kind" }),
      }
      const ref = (more: object): object => ({ paramRef: { parameterNotFoundAction: 'Deny', ...more } })
      await tryCases(kit, {
        one: [spec, ref({ name: 'p1' })],
        two: [spec, ref({ name: 'p2' })],
        selected: [spec, ref({ selector: { matchLabels: { p: 'one' } } })],
        every: [spec, ref({ selector: { matchExpressions: [{ key: 'p', operator: 'Exists' }] } })],
        missing: [spec, ref({ name: 'p3' })],
        allowed: [spec, ref({ name: 'p3', parameterNotFoundAction: 'Allow' })],
        none: [spec, ref({ selector: { matchLabels: { p: 'three' } } })],
        elsewhere: [spec, ref({ name: 'p1', namespace: 'default' })],
        unused: [{ paramKind, ...deny('params == null') }],
        unknown: [{ paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, ...deny('params == null') }],
        ignored: [{ ...spec, failurePolicy: 'Ignore' }, ref({ name: 'p3' })],
        kindless: [deny('true'), ref({ name: 'p1' })],
      })
    },
  },
  {
    name: 'policies and their bindings choose what they are about',
    async run(kit) {
      const named = (name: string, resourceRules: object[], more: object = {}, binding: object = {}): Policy => ({
        ...{ rules: resourceRules, bindings: { [name]: binding } },
        spec: { ...deny('false', { message: name }), matchConstraints: more },
      })
      await kit.bind({
        delete: named('delete', [rule(['DELETE'], ['configmaps'], { resourceNames: ['a', 'b'] })]),
        excluded: named('excluded', rules, {
          objectSelector: { matchLabels: { x: 'excluded' } },
          excludeResourceRules: [rule(['UPDATE'], ['*'])],
        }),
        bound: named(
          'bound',
          rules,
          { objectSelector: { matchLabels: { x: 'bound' } } },
          { matchResources: { resourceRules: [rule(['CREATE'], ['*'])] } },
        ),
        picky: named('picky', rules, {}, { matchResources: { objectSelector: { matchLabels: { x: 'picky' } } } }),
        other: named('other', [rule(all, ['secrets'])]),
        cluster: named('cluster', [rule(all, ['configmaps'], { scope: 'Cluster' })]),
      })
      for (const x of ['none', 'excluded', 'bound', 'picky']) {
        await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { x }) })
      }
      await kit.ask('POST', cms, { body: configMap('a', {}) })
      for (const x of ['excluded', 'bound', 'picky']) {
        await kit.ask('PATCH', `${cms}/a?dryRun=All`, { body: { metadata: { labels: { x } } }, type: merge })
      }
      await kit.ask('DELETE', `${cms}/a`)
      await kit.ask('POST', cms, { body: { metadata: { generateName: 'gen-', labels: { x: 'picky' } } } })
    },
  },
  {
    name: 'policies see custom resources at the version that they are about',
    async run(kit) {
      const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      const version = (name: string, storage: boolean): object => ({ name, served: true, storage, schema: anything })
      await kit.define([version('v1', true), version('v2', false)])
      const of = (...apiVersions: string[]): object[] => [rule(all, ['games'], { apiGroups: [kit.group], apiVersions })]
      const messageExpression = "object.apiVersion + ' ' + request.kind.version + ' ' + request.requestKind.version"
      const spec = deny('!has(object.spec) || object.spec.n < 2', { messageExpression })
      await kit.bind({
        equivalent: { rules: of('v2'), spec, bindings: { equivalent: {} } },
        exact: {
          rules: of('v2'),
          spec: { ...deny('object.spec == 1'), matchConstraints: { matchPolicy: 'Exact' } },
          bindings: { exact: {} },
        },
      })
      const game = (v: string, n: number): object => ({
        apiVersion: `${kit.group}/${v}`,
        kind: 'Game',
        metadata: { name: 'g' },
        spec: { n },
      })
      await kit.ask('POST', `${kit.games('v1')}?dryRun=All`, { body: game('v1', 3) })
      await kit.ask('POST', `${kit.games('v1')}?dryRun=All`, { body: game('v1', 1) })
      await kit.ask('POST', `${kit.games('v2')}?dryRun=All`, { body: game('v2', 1) })
    },
  },
  {
    name: 'policies and bindings that are refused',
    async run(kit) {
      await refusedPolicy(kit, {})
      await refusedPolicy(kit, { matchConstraints, ...deny('true') })
      await refusedPolicy(kit, { matchConstraints, ...deny('object.a'), failurePolicy: 'Maybe' })
      await refusedPolicy(kit, {
        matchConstraints,
        ...deny('params.a == 1 || variables.x', { messageExpression: 'authorizer' }),
      })
      await refusedPolicy(kit, {
        matchConstraints,
        paramKind: {},
        validations: [
          { expression: ' ' },
          { expression: 'true', message: ' ', messageExpression: ' ' },
          { expression: 'params == null', message: 'a\nb', reason: 'Other', messageExpression: '1' },
        ],
      })
      await refusedPolicy(kit, {
        matchConstraints,
        variables: [
          { name: 'a', expression: 'object.x' },
          { name: 'b', expression: 'variables.a + variables.c' },
          { name: 'in', expression: '1' },
          { name: 'c-d', expression: ' ' },
          { name: '', expression: '[1]' },
          { name: 'e', expression: "{'x': 1}" },
        ],
        ...deny('variables.e.y == variables.b && variables.e', { messageExpression: 'variables.e' }),
        matchConditions: [{ name: 'x', expression: 'object' }],
      })
      await refusedPolicy(kit, {
        matchConstraints,
        auditAnnotations: [
          { key: 'a', valueExpression: '1' },
          { key: 'a', valueExpression: ' ' },
          { key: '', valueExpression: 'null' },
          { key: 'b', valueExpression: "'x'" },
        ],
      })
      await refusedPolicy(kit, {
        matchConstraints: {
          matchPolicy: 'Some',
          resourceRules: [
            { operations: [], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], resourceNames: ['a', 'a'] },
          ],
          excludeResourceRules: [rule(['READ'], [])],
        },
        ...deny('true'),
      })
      await refusedPolicy(kit, { matchConstraints: {}, ...deny('true') })
      const bound = { policyName: 'p', validationActions: ['Deny'] }
      await refusedBinding(kit, {})
      await refusedBinding(kit, { ...bound, policyName: 'P', validationActions: ['Deny', 'Warn', 'Deny', 'Shout'] })
      await refusedBinding(kit, { ...bound, paramRef: {} })
      await refusedBinding(kit, { ...bound, paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Maybe' } })
      await refusedBinding(kit, { ...bound, matchResources: { resourceRules: [rule(['CREATE'], [])] } })
    },
  },
]
