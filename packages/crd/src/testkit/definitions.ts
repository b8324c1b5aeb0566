import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { CustomResourceOptions } from '../definition/options.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** Options of a definition. */
export type SomeOptions = Partial<Omit<CustomResourceOptions, 'spec' | 'status'>> & { readonly spec?: JsonSchema }

const text = { type: 'string' }
const pair = { type: 'object', properties: { a: text, b: text } }
const fields = {
  color: text,
  count: { type: 'integer' },
  counts: { type: 'array', items: { type: 'integer' } },
  deadline: { type: 'string', format: 'date-time' },
  on: { type: 'boolean' },
  port: { 'x-kubernetes-int-or-string': true },
  labels: { type: 'object', additionalProperties: text },
  pod: { type: 'object', properties: { metadata: { type: 'object', properties: { name: text } } } },
  hosts: { type: 'array', items: text },
  rest: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  ratio: { type: 'number' },
  ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, text])),
}
const status = { type: 'object', properties: { n: { type: 'integer' }, selector: text } }
const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `.spec.f${at}`)
const column = (jsonPath: string, more: object = {}): SomeOptions => ({
  printColumns: [{ name: 'X', type: 'string', jsonPath, ...more }],
})
const scale = (specReplicasPath: string, statusReplicasPath: string, labelSelectorPath?: string): SomeOptions => ({
  scale: { specReplicasPath, statusReplicasPath, ...(labelSelectorPath !== undefined && { labelSelectorPath }) },
})
const field = (schema: JsonSchema): SomeOptions => ({ spec: { type: 'object', properties: { x: schema } } })
const approved = (value: string): SomeOptions => ({
  group: 'x.k8s.io',
  annotations: { 'api-approved.kubernetes.io': value },
})
const list = (type: string, items: object, more: object = {}): JsonSchema => ({
  ...{ type: 'array', items, 'x-kubernetes-list-type': type },
  ...more,
})
const keys = { 'x-kubernetes-list-map-keys': ['a'] }

/** Definitions that a server refuses, and where we say so. */
export const refusedDefinitions: readonly (readonly [options: SomeOptions, message: string])[] = [
  [column('spec.color'), 'printColumns: has the column X with the path spec.color, which must begin with a dot'],
  [column('`.spec.color`'), 'printColumns: has the column X with the path `.spec.color`, which must begin with a dot'],
  [
    column('.spec.color', { type: 'text' }),
    'X of the type text, which is none of integer, number, string, boolean, date.',
  ],
  [
    column('.spec.color', { format: 'colour' }),
    'X of the format colour, which is none of int32, int64, float, double, byte, date,',
  ],
  [column('.spec.color', { name: '' }), 'printColumns: has a column of .spec.color without a name'],
  [{ shortNames: ['Shirts'] }, 'shortNames: has "Shirts", which must be of a to z'],
  [{ shortNames: ['sh_1'] }, 'shortNames: has "sh_1"'],
  [{ shortNames: ['1a'] }, 'shortNames: has "1a"'],
  [{ shortNames: ['a-'] }, 'shortNames: has "a-"'],
  [{ categories: ['All'] }, 'categories: has "All"'],
  [{ selectableFields: ['.metadata.name'] }, 'selectableFields: names .metadata.name, a field of the metadata'],
  [{ selectableFields: ['.metadata'] }, 'selectableFields: names .metadata, a field of the metadata'],
  [{ selectableFields: ['spec.color'] }, 'selectableFields: names spec.color, which must begin with a dot'],
  [{ selectableFields: ['.spec.port'] }, 'selectableFields: names .spec.port, which is not a string'],
  [{ selectableFields: ['.spec.hosts'] }, 'selectableFields: names .spec.hosts, which is not a string'],
  [{ selectableFields: ['.spec.ratio'] }, 'selectableFields: names .spec.ratio, which is not a string'],
  [{ selectableFields: ['.spec.any'] }, 'selectableFields: names .spec.any, which is not a string'],
  [{ selectableFields: ['.spec.rest.a'] }, 'selectableFields: names .spec.rest.a, which'],
  [{ selectableFields: ['.spec.none'] }, 'selectableFields: names .spec.none, which the schema does not have'],
  [{ selectableFields: ['.spec.color', '.spec.color'] }, 'selectableFields: names .spec.color twice'],
  [{ selectableFields: paths(9) }, 'selectableFields: names 9 fields, and a server takes 8 at most'],
  [{ group: 'x.k8s.io' }, 'group: is x.k8s.io, which belongs to Kubernetes'],
  [{ group: 'apps.kubernetes.io' }, 'group: is apps.kubernetes.io, which belongs to Kubernetes'],
  [{ group: 'k8s.io' }, 'group: is k8s.io, which belongs to Kubernetes'],
  [approved('soon'), 'group: is x.k8s.io, which belongs to Kubernetes'],
  [approved('mailto:a@example.com'), 'group: is x.k8s.io, which belongs to Kubernetes'],
  [{ shortNames: ['a'.repeat(64)] }, 'have 63 characters at most'],
  [{ listKind: 'Game_List' }, 'listKind: is "Game_List", which must be a word in CamelCase: GameList.'],
  [scale('spec.count', '.status.n'), 'scale: names spec.count, which must begin with .spec.'],
  [scale('.status.n', '.status.n'), 'scale: names .status.n, which must begin with .spec.'],
  [scale('.spec.count', '.spec.count'), 'scale: names .spec.count, which must begin with .status.'],
  [
    scale('.spec.count', '.status.n', '.metadata.name'),
    'scale: names .metadata.name, which must begin with .spec. or .status.',
  ],
  [field({ ...pair, default: { a: 'x', c: 1 } }), 'at .c is a field that the schema does not have'],
  [field({ type: 'object', properties: { p: pair }, default: { p: { c: 1 } } }), 'at .p at .c is a field that'],
  [field(list('set', pair)), "is a list of the type 'set' with items that are objects"],
  [field(list('set', { ...text, nullable: true })), "spec.x[]: may be null, which an item of a list of the type 'set'"],
  [field(list('set', list('set', text))), "is a list of the type 'set' with items that are lists of the type 'set'"],
  [
    field(list('map', { ...pair, required: ['a'], properties: { a: { ...text, nullable: true } } }, keys)),
    'spec.x[].a: is the key of a list, and may not be null',
  ],
  [field(list('map', { ...pair, required: ['a'], nullable: true }, keys)), 'spec.x[]: may be null'],
  [field(list('map', pair, keys)), 'spec.x[].a: is the key of a list, and must be required'],
]

/** Definitions that a server takes, and so do we. */
export const takenDefinitions: readonly SomeOptions[] = [
  {},
  column('.spec.color'),
  column('.spec.hosts[0]'),
  column('.spec.hosts[0].a'),
  column('.spec.hosts[?(@ == "a[")]'),
  column(".spec.hosts[?(@ == 'a[\\'(')]"),
  ...['integer', 'number', 'string', 'boolean', 'date'].map(type => column('.spec.color', { type, priority: 1 })),
  ...['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'].map(format =>
    column('.spec.color', { format }),
  ),
  column('.metadata.creationTimestamp', { type: 'date' }),
  column('.spec.count', { type: 'integer', format: 'int32' }),
  // As Cluster API has them: one of them for each width of the table.
  { printColumns: ['.spec.color', '.spec.count'].map(jsonPath => ({ name: 'Name', jsonPath })) },
  { shortNames: ['a', 'a-1'], categories: ['all'] },
  { selectableFields: ['.spec.labels.tier', '.spec.on', '.spec.count', '.spec.color'] },
  { selectableFields: paths(8) },
  { selectableFields: ['.spec.pod.metadata.name'] },
  scale('.spec.count', '.status.n'),
  scale('.spec.count', '.status.n', '.status.selector'),
  approved('unapproved, an experiment'),
  approved('https://example.com/pull/1'),
  { group: 'notk8s.io' },
  { group: 'x.k8s.io.example.com' },
  { listKind: 'Games' },
  { shortNames: ['a'.repeat(63)] },
  field({ ...pair, default: { a: 'x' } }),
  field({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { c: 1 } }),
  field({ type: 'object', additionalProperties: text, default: { c: 'x' } }),
  field(list('set', text, { default: ['a', 'b'] })),
  field(list('atomic', text, { default: ['a', 'a'] })),
  field(list('set', { ...pair, 'x-kubernetes-map-type': 'atomic' })),
  field(list('set', { type: 'array', items: text })),
  field(list('set', list('atomic', text))),
  field(list('map', { ...pair, required: ['a'] }, keys)),
]

/** Definitions that a server takes and we do not: with columns that are always empty, and defaults that it refuses in each object. */
export const uselessDefinitions: readonly (readonly [options: SomeOptions, message: string])[] = [
  [field(list('set', text, { default: ['a', 'a'] })), 'has "a" twice'],
  [
    field(list('map', { ...pair, required: ['a'] }, { ...keys, default: [{ a: 'x' }, { a: 'x', b: 'y' }] })),
    'has {"a":"x"} twice',
  ],
  [column('.spec.hosts]['), 'printColumns: has the column X with the path .spec.hosts][, which is no JSON path'],
  [column('.spec.hosts[)'), 'printColumns: has the column X with the path .spec.hosts[)'],
  [column('.spec.hosts['), 'printColumns: has the column X with the path .spec.hosts[, which is no JSON path'],
  [column('.spec.color`'), 'printColumns: has the column X with the path .spec.color`, which is no JSON path'],
  [column('.spec.none.deep'), 'printColumns: names .spec.none.deep, which the schema does not have'],
  [column('.spec.none'), 'printColumns: names .spec.none, which the schema does not have'],
  [column('.metadata.age'), 'printColumns: names .metadata.age, which the schema does not have'],
]

export const names = {
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
} as const

/** The options whole. */
export function wholeOptions(options: SomeOptions): CustomResourceOptions {
  return { ...names, spec: { type: 'object', properties: fields }, status, ...options }
}

/** A definition as the options say it, unchecked. */
export function uncheckedDefinition(options: SomeOptions): CustomResourceDefinition {
  const { group, kind, plural, listKind, shortNames, categories, annotations, spec, ...version } = wholeOptions(options)
  const { printColumns, selectableFields, scale } = version
  const openAPIV3Schema = { type: 'object', properties: { spec, status } }
  return {
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations }) },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, listKind, shortNames, categories } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } },
          ...{ additionalPrinterColumns: printColumns?.map(one => ({ type: 'string', ...one })) },
          ...{ selectableFields: selectableFields?.map(jsonPath => ({ jsonPath })), subresources: scale && { scale } },
        },
      ],
    },
  } as unknown as CustomResourceDefinition
}
