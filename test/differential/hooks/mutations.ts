import { patch } from './hook-server.ts'
import { type HookScenario, type Kit, type Policy, rule } from './kit.ts'

const cms = '/api/v1/namespaces/{ns}/configmaps'
const merge = 'application/merge-patch+json'
const rules = [rule(['CREATE', 'UPDATE'], ['configmaps'])]

const applied = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})
const patched = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

/** A policy with one binding of its own name, about ConfigMaps that are labelled with it. */
function policy(name: string, mutations: object[], more: object = {}, binding: object = {}): Policy {
  const matchConstraints = { objectSelector: { matchLabels: { case: name } } }
  return {
    ...{ rules, bindings: { [name]: binding } },
    spec: { matchConstraints, reinvocationPolicy: 'Never', mutations, ...more },
  }
}

function configMap(name: string, labels: object, data: object = { k: 'v' }): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data }
}

async function refused(kit: Kit, spec: object): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies?dryRun=All'
  const body = { metadata: { name: 'wrong' }, spec: { matchConstraints: { resourceRules: rules }, ...spec } }
  await kit.ask('POST', path, { body, headers: {} })
}

/** Mutations of one case each. */
const cases: Readonly<Record<string, readonly [mutations: object[], more?: object]>> = {
  apply: [[applied("Object{metadata: Object.metadata{labels: {'by': 'policy'}}, data: {'l': object.data.k}}")]],
  patch: [[patched("[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a.b'), value: 'x'}]")]],
  both: [
    [
      applied("Object{data: {'a': '1'}}"),
      patched("[JSONPatch{op: 'replace', path: '/data/a', value: object.data.a + '2'}]"),
    ],
  ],
  object: [
    [patched("[JSONPatch{op: 'add', path: '/metadata/annotations', value: Object.metadata.annotations{a: 'b'}}]")],
  ],
  map: [
    [
      patched(
        "[JSONPatch{op: 'test', path: '/data/k', value: 'v'}, JSONPatch{op: 'add', path: '/data', value: {'x': 'y'}}]",
      ),
    ],
  ],
  nothing: [[applied('Object{}')]],
  optional: [[applied("Object{?data: has(object.data.z) ? optional.of({'z': 'z'}) : optional.none()}")]],
  unmet: [[applied("Object{data: {'a': '1'}}")], { matchConditions: [{ name: 'a', expression: 'false' }] }],
  variable: [
    [applied("Object{data: {'a': variables.v}}")],
    { variables: [{ name: 'v', expression: 'string(object.data.k)' }] },
  ],
  fails: [[applied("Object{data: {'a': string(object.data.absent)}}")]],
  ignores: [[applied("Object{data: {'a': string(object.data.absent)}}")], { failurePolicy: 'Ignore' }],
  condition: [[applied('Object{}')], { matchConditions: [{ name: 'a', expression: 'object.data.absent == ""' }] }],
  names: [[applied('Object{metadata: Object.spec{labels: {"a": "b"}}}')]],
}

/** Comparisons of messages, as a label of each says how they end. */
const comparisons: Readonly<Record<string, string>> = {
  empty: 'Object{} == Object{}',
  scalars: 'Object{a: 1, b: "x", c: true, d: 1.5} == Object{d: 1.5, c: true, b: "x", a: 1}',
  numbers: 'Object{a: 1} == Object{a: 1.0}',
  unsigned: 'Object{a: 1u} == Object{a: 1}',
  nulls: 'Object{a: null} == Object{a: null}',
  missing: 'Object{a: null} == Object{}',
  nested: 'Object{spec: Object.spec{a: "x"}} == Object{spec: Object.spec{a: "x"}}',
  other: 'Object{spec: Object.spec{a: "x"}} == Object{spec: Object.spec{a: "y"}}',
  lists: 'Object{a: [1]} == Object{a: [1]}',
  'empty-lists': 'Object{a: []} == Object{a: []}',
  maps: 'Object{a: {"k": 1}} == Object{a: {"k": 1}}',
  keys: 'Object{a: {1: "x"}} == Object{a: {1u: "x"}}',
  'maps-of-lists': 'Object{a: {"k": [1]}} == Object{a: {"k": [1]}}',
  'of-the-object': 'Object{a: object.data} == Object{a: object.data}',
  'map-and-object': 'Object{a: {"k": "v"}} == Object{a: object.data}',
  text: 'Object{a: object.data.k} == Object{a: "v"}',
  times: 'Object{a: timestamp("2026-01-01T00:00:00Z")} == Object{a: timestamp("2026-01-01T00:00:00Z")}',
  durations: 'Object{a: duration("60s")} == Object{a: duration("1m")}',
  bytes: 'Object{a: b"x"} == Object{a: b"x"}',
  types: 'Object{a: int} == Object{a: int}',
  optionals: 'Object{a: optional.of(1)} == Object{a: optional.of(1)}',
  itself: '[Object{a: [1]}].all(x, x == x)',
  'one-variable': 'Object{a: variables.v} == Object{a: variables.v}',
  'two-variables': 'Object{a: variables.v} == Object{a: variables.w}',
  unequal: 'Object{a: 1} != Object{a: 2}',
  'in-a-list': 'Object{a: 1} in [Object{a: 2}, Object{a: 1}]',
  'lists-of-messages': '[Object{a: 1}] == [Object{a: 1}]',
  'maps-of-messages': '{"x": Object{a: 1}} == {"x": Object{a: 1}}',
  'and-a-map': 'dyn(Object{a: 1}) == dyn({"a": 1})',
  'map-first': 'dyn({"a": 1}) == dyn(Object{a: 1})',
  'and-a-text': 'dyn(Object{a: 1}) == dyn("x")',
  'and-null': 'dyn(Object{a: 1}) == dyn(null)',
  'other-types': 'dyn(Object{a: 1}) == dyn(Object.spec{a: 1})',
  operations: 'JSONPatch{op: "add", path: "/a", value: [1]} == JSONPatch{op: "add", path: "/a", value: [1.0]}',
  'other-paths': 'JSONPatch{op: "add", path: "/a"} == JSONPatch{op: "add", path: "/b"}',
  'without-a-value': 'JSONPatch{op: "remove", path: "/a"} == JSONPatch{op: "remove", path: "/a", from: ""}',
  'one-value': 'JSONPatch{op: "add", value: null} == JSONPatch{op: "add"}',
  'operation-and-object': 'dyn(JSONPatch{}) == dyn(Object{})',
  'from-a-list': '[Object{a: 1}, Object{a: 2}].exists_one(x, x == Object{a: 2})',
  index: '[Object{a: 1}, Object{a: 2}].indexOf(Object{a: 2}) == 1',
}

export const mutationScenarios: readonly HookScenario[] = [
  {
    name: 'mutating policies change what is written',
    async run(kit) {
      const policies = Object.entries(cases).map(([name, [mutations, more]]) => [name, policy(name, mutations, more)])
      await kit.bind(Object.fromEntries(policies), 'mutating')
      for (const name of Object.keys(cases)) {
        await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { case: name }) })
      }
      await kit.ask('POST', cms, { body: configMap('a', { case: 'apply' }) })
      await kit.ask('PATCH', `${cms}/a`, { body: { data: { k: 'w' } }, type: merge })
      await kit.ask('DELETE', `${cms}/a`)
    },
  },
  {
    name: 'mutating policies that compare messages',
    async run(kit) {
      const variables = ['v', 'w'].map(name => ({ name, expression: '[1]' }))
      const label = (expression: string): object =>
        applied(`Object{metadata: Object.metadata{labels: {'equal': string(${expression})}}}`)
      const policies = Object.entries(comparisons).map(([name, expression]): [string, Policy] => [
        name,
        policy(name, [label(expression)], { variables }),
      ])
      await kit.bind(Object.fromEntries(policies), 'mutating')
      for (const name of Object.keys(comparisons)) {
        await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { case: name }) })
      }
    },
  },
  {
    name: 'mutating policies come before webhooks, and once more after them',
    async run(kit) {
      const count = (key: string): object[] => [
        applied(`Object{data: {'${key}': object.data.?${key}.orValue('') + 'x'}}`),
      ]
      await kit.bind(
        {
          once: { ...policy('case', count('once')), spec: { ...policy('', count('once')).spec, matchConstraints: {} } },
          twice: {
            ...policy('twice', count('twice')),
            spec: { ...policy('', count('twice')).spec, matchConstraints: {}, reinvocationPolicy: 'IfNeeded' },
          },
        },
        'mutating',
      )
      const handler = patch({ op: 'add', path: '/data/hook', value: 'y' })
      await kit.configure('Mutating', [{ name: 'm.b.c', rules, path: '/m', handler }])
      await kit.ask('POST', cms, { body: configMap('a', {}) })
      kit.reviews('/m')
    },
  },
  {
    name: 'mutating policies that are refused',
    async run(kit) {
      const never = { reinvocationPolicy: 'Never' }
      await refused(kit, {})
      await refused(kit, { ...never, mutations: [{}, { patchType: 'Other' }, { patchType: 'JSONPatch' }] })
      await refused(kit, { ...never, mutations: [applied(' '), applied("{'a': 1}"), applied('Thing{}')] })
      await refused(kit, {
        ...never,
        mutations: [patched('JSONPatch{}'), patched('[JSONPatch{op: 1}]'), patched('[Object{}]')],
      })
      await refused(kit, {
        reinvocationPolicy: 'Maybe',
        mutations: [{ ...applied('Object{}'), jsonPatch: { expression: '[]' } }],
      })
      await refused(kit, {
        ...never,
        mutations: [applied('Object{}')],
        matchConstraints: { resourceRules: [rule(['DELETE'], ['configmaps'])] },
      })
      await refused(kit, {
        ...never,
        mutations: [applied('Object{data: jsonpatch.escapeKey(1)}'), applied('Object.x{}')],
      })
    },
  },
]
