import type { JsonObject } from '@wherry/cel/internal'

const string = { type: 'string' }

function spec(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { spec: schema } }
}

/** Schemas that no definition may have. */
export const refusedSchemas: readonly JsonObject[] = [
  {},
  { type: 'string' },
  { type: 'object', nullable: true },
  { type: 'object', additionalProperties: string },
  spec({}),
  spec({ type: 'array' }),
  spec({ type: 'array', items: {} }),
  spec({ type: 'array', items: [string] }),
  spec({ type: 'text' }),
  spec({ type: 'null' }),
  spec({ type: 'object', properties: { a: {} }, anyOf: [{ properties: { b: { minLength: 1 } } }] }),
  spec({ type: 'object', properties: { a: string }, additionalProperties: string }),
  spec({ type: 'string', anyOf: [{ type: 'string' }] }),
  spec({
    type: 'string',
    oneOf: [
      { default: 'a', title: 't', description: 'd', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    not: { 'x-kubernetes-int-or-string': true },
  }),
  spec({ type: 'array', items: string, uniqueItems: true }),
  spec({ type: 'string', pattern: '^(?!a)' }),
  spec({ type: 'string', pattern: '(a)\\1' }),
  ...['a(', '[z-a]', '(?Z)a', 'a**'].map(pattern => spec({ type: 'string', pattern })),
  spec({ type: 'string', default: 5 }),
  spec({ type: 'object', properties: { a: string }, default: { b: 1 } }),
  spec({ type: 'object', properties: { a: { type: 'integer', minimum: 3, default: 1 } } }),
  spec({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }),
  spec({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  spec({ type: 'string', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  spec({ type: 'object', 'x-kubernetes-list-type': 'set' }),
  spec({ type: 'array', items: string, 'x-kubernetes-list-type': 'bag' }),
  spec({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  spec({ type: 'array', items: string, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  spec({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
  spec({
    type: 'array',
    items: { type: 'object', nullable: true, properties: { a: string, b: { type: 'object' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'b', 'c', 'a'],
  }),
  spec({ type: 'array', items: string, 'x-kubernetes-list-map-keys': ['a'] }),
  spec({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
  spec({ type: 'object', 'x-kubernetes-map-type': 'loose' }),
  spec({ type: 'object', $ref: '#/x' }),
  spec({ type: 'object', patternProperties: { a: string } }),
  { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
  { type: 'object', properties: { metadata: { type: 'object', default: { name: 'a' } } } },
  { type: 'object', properties: { kind: { type: 'integer' }, apiVersion: string } },
  { type: 'object', anyOf: [{ properties: { metadata: { minProperties: 1 } } }] },
]

const field = { type: 'object', additionalProperties: { type: 'array', items: string } }
const known = { type: 'object', properties: { a: string, n: { 'x-kubernetes-int-or-string': true }, m: field } }

/** Settings of a version that no definition may have: with a schema of the fields `spec.a`, `spec.n` and `spec.m`. */
export const refusedVersions: readonly JsonObject[] = [
  { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'spec.a' }] },
  { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.spec.a', format: 'colour' }] },
  { additionalPrinterColumns: [{ name: '', type: 'string', jsonPath: '' }] },
  ...[
    ['.metadata.name'],
    ['.spec.n'],
    ['.spec.m'],
    ['.spec.m.x'],
    ['.spec.a', '.spec.a'],
    ['.spec.none'],
    ['spec.a'],
    [''],
    ['.spec.a['],
  ].map(paths => ({ selectableFields: paths.map(jsonPath => ({ jsonPath })) })),
  ...[
    ['spec.a', '.status.a'],
    ['.status.a', '.spec.a'],
    ['', ''],
    ['.spec.a', '.status.a', '.metadata.name'],
    ['.spec.a', '.status.a', 'spec.a'],
  ].map(([specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '']) => ({
    subresources: { scale: { specReplicasPath, statusReplicasPath, labelSelectorPath } },
  })),
].map(settings => ({ ...settings, schema: { openAPIV3Schema: spec(known) } }))

/** Names and annotations that no definition may have. */
export const refusedNames: readonly {
  readonly group: string
  readonly names: JsonObject
  readonly approval?: string
}[] = [
  { group: 'x.example.com', names: { shortNames: ['Shirts', 'sh_1', 'a'], categories: ['All', 'all'] } },
  { group: 'x.example.com', names: { listKind: 'Kindrefused' } },
  { group: 'x.k8s.io', names: {} },
  { group: 'kubernetes.io', names: {}, approval: 'soon' },
]
