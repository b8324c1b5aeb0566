import type { Scenario, Step } from '../scenario.ts'

type Raw = Record<string, unknown>

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const rules = 'x-kubernetes-validations'

function definition(plural: string, schema: Raw): Raw {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.{g}` },
    spec: {
      group: '{g}',
      scope: 'Namespaced',
      names: { plural, kind: `Kind${plural}` },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
      ],
    },
  }
}

/** A definition that is taken or refused. */
function define(schema: Raw): Step {
  return { do: 'request', method: 'POST', path: `${definitions}?dryRun=All`, body: definition('tries', schema) }
}

function whole(spec: Raw, more: Raw = {}): Raw {
  return { type: 'object', properties: { spec }, ...more }
}

function ruled(...list: Raw[]): Raw {
  return { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, [rules]: list }
}

const schema = {
  type: 'object',
  [rules]: [
    { rule: "self.metadata.name.startsWith('x')", message: 'its name begins with x' },
    { rule: '!has(self.status) || !has(oldSelf.status) || self.status.level >= oldSelf.status.level' },
  ],
  properties: {
    spec: {
      type: 'object',
      required: ['a'],
      properties: {
        a: {
          type: 'integer',
          [rules]: [{ rule: 'self > 0', messageExpression: "self == 0 ? 'not zero' : 'not less'" }],
        },
        b: { type: 'string', maxLength: 5, [rules]: [{ rule: 'self == oldSelf', reason: 'FieldValueForbidden' }] },
        once: {
          type: 'string',
          maxLength: 5,
          [rules]: [
            { rule: "oldSelf.hasValue() || self != 'no'", optionalOldSelf: true, reason: 'FieldValueDuplicate' },
          ],
        },
        map: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { type: 'integer', [rules]: [{ rule: 'self < 5' }] },
        },
        items: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' }, v: { type: 'integer' } },
            [rules]: [{ rule: 'self.v >= oldSelf.v', message: 'v may only grow', fieldPath: '.v' }],
          },
        },
        set: {
          type: 'array',
          maxItems: 5,
          items: { type: 'string', maxLength: 5 },
          [rules]: [{ rule: 'self.all(x, size(x) < 3)' }],
        },
        strange: { 'x-kubernetes-int-or-string': true, maxLength: 5, [rules]: [{ rule: 'self > 5' }] },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, [rules]: [{ rule: 'self == oldSelf' }] },
        partly: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { v: { type: 'integer' } },
          [rules]: [{ rule: 'self == oldSelf' }],
        },
      },
      [rules]: [
        {
          rule: '!has(self.map) || self.map.x == 1',
          message: ' map needs x ',
          fieldPath: '.map',
          reason: 'FieldValueRequired',
        },
        { rule: 'self.a != 13', messageExpression: "''", message: 'unlucky' },
        { rule: 'self.a != 14', messageExpression: "'a\\nb'" },
      ],
    },
    status: { type: 'object', properties: { level: { type: 'integer' } }, [rules]: [{ rule: 'self.level < 10' }] },
  },
}

const path = '/apis/{g}/v1/namespaces/{ns}/things'
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

function thing(name: string, spec: Raw): Raw {
  return { apiVersion: '{g}/v1', kind: 'Kindthings', metadata: { name }, spec }
}

function create(name: string, spec: Raw): Step {
  return { do: 'request', method: 'POST', path, body: thing(name, spec) }
}

function patch(spec: Raw, part = ''): Step {
  return {
    do: 'request',
    method: 'PATCH',
    path: `${path}/x1${part}`,
    headers: merge,
    body: part === '' ? { spec } : spec,
  }
}

/** Rules in CEL: of definitions, and on objects. */
const either: Raw = { 'x-kubernetes-int-or-string': true }

export const ruleScenarios: readonly Scenario[] = [
  {
    name: 'defaults of numbers or texts',
    steps: [1, 'x', true, 1.5, [], {}].flatMap(value =>
      [
        { ...either, default: value },
        { ...either, anyOf: [{ type: 'integer' }, { type: 'string' }], default: value },
        { ...either, enum: ['1', 'x'], default: value },
        { type: 'object', properties: { inner: either }, default: { inner: value } },
        { type: 'array', items: either, default: [value] },
      ].map(schema => define(whole({ type: 'object', properties: { port: schema } }))),
    ),
  },
  {
    name: 'definitions with rules that are refused',
    steps: [
      define(whole(ruled({ rule: ' ' }, { rule: 'true', message: ' ' }, { rule: 'true', message: 'a\nb' }))),
      define(whole(ruled({ rule: 'true\n&& true' }, { rule: 'true', messageExpression: ' ' }))),
      define(
        whole(
          ruled({ rule: 'true', reason: 'Other' }, { rule: 'true', fieldPath: '.c' }, { rule: 'true', fieldPath: 'a' }),
        ),
      ),
      define(whole(ruled({ rule: 'self.a' }, { rule: 'self.c == 1' }, { rule: 'true', messageExpression: 'self.a' }))),
      define(
        whole(
          ruled({ rule: 'true', messageExpression: 'self.c' }, { rule: 'self.a > 0 && self.b > 0', message: '<>' }),
        ),
      ),
      define(
        whole(
          ruled({ rule: 'self.a == 1', optionalOldSelf: true }, { rule: 'oldSelf == self', optionalOldSelf: true }),
        ),
      ),
      define(whole({ type: 'array', maxItems: 2, items: ruled({ rule: 'self == oldSelf' }) })),
      define(
        whole({
          type: 'array',
          maxItems: 2,
          items: { type: 'object', properties: { a: ruled({ rule: 'self == oldSelf' }) } },
        }),
      ),
      define(whole({ type: 'string', default: 'a', [rules]: [{ rule: "self != 'a'" }] })),
      define(
        whole({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, [rules]: [{ rule: 'self.a == 1' }] }),
      ),
    ],
  },
  {
    name: 'objects under rules',
    steps: [
      { do: 'request', method: 'POST', path: definitions, body: definition('things', schema), quiet: true },
      { do: 'wait', path, for: { status: 200 } },
      create('y1', { a: 0 }),
      create('x1', { a: 1, b: 'b', items: [{ k: 'p', v: 2 }], map: { x: 1, y: 3 } }),
      create('x2', { a: 13 }),
      create('x2', { a: 14 }),
      create('x2', { a: 1, once: 'no' }),
      create('x2', { a: 1, map: { y: 1 } }),
      create('x2', { a: 1, map: { x: 2 } }),
      create('x2', { a: 1, map: { x: 1, y: 5 } }),
      // One at a time: the real server reports the fields of an object in any order.
      create('x2', { a: 1, set: ['abc'] }),
      create('x2', { a: 1, strange: 'a' }),
      create('x2', { a: 1, strange: 3 }),
      create('x2', { b: 'abcdefgh' }),
      patch({ b: 'c' }),
      patch({ once: 'no' }),
      patch({ items: [{ k: 'p', v: 1 }] }),
      patch({ items: [{ k: 'q', v: 1 }] }),
      patch({ a: -1 }),
      patch({ free: { a: { b: 1 } }, partly: { v: 1, a: 1 } }),
      patch({ free: { a: { b: 2 } } }),
      patch({ free: { a: null, c: 1 } }),
      patch({ partly: { a: 2 } }),
      patch({ partly: { a: null } }),
      patch({ partly: { v: 2 } }),
      patch({ status: { level: 3 } }, '/status'),
      patch({ status: { level: 2 } }, '/status'),
      patch({ status: { level: 12 } }, '/status'),
      {
        do: 'request',
        method: 'PATCH',
        path: `${path}/x1?fieldManager=m&force=true`,
        headers: apply,
        body: JSON.stringify(thing('x1', { a: -2 })),
      },
    ],
  },
]
