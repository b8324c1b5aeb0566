import { describe, expect, it } from 'vitest'
import { checkedDefinition } from './checked.ts'

type Changes = Readonly<Record<string, unknown>>

/** A definition with this schema of its objects. */
const defined = (openAPIV3Schema: unknown): Changes => ofVersion({ schema: { openAPIV3Schema } })

const ofVersion = (changes: Changes): Changes =>
  ofSpec({ versions: [{ name: 'v1', served: true, storage: true, ...changes }] })

const ofSpec = (changes: Changes): Changes => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { kind: 'Game', plural: 'games' } },
    ...{ versions: [{ name: 'v1', served: true, storage: true }], ...changes },
  },
})

const ofMetadata = (changes: Changes): Changes => ({
  ...ofSpec({}),
  metadata: { name: 'games.example.com', ...changes },
})
const ofNames = (changes: Changes): Changes => ofSpec({ names: { kind: 'Game', plural: 'games', ...changes } })

/** Why a definition is refused; empty if it is taken. */
function refusal(definition: Changes): string {
  try {
    checkedDefinition(definition)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const path = 'spec.versions[0].schema.openAPIV3Schema'

/** One of each kind of value that JSON has, and how an error shows it. */
const values = {
  text: ['', '""'],
  integer: [2, '2'],
  zero: [0, '0'],
  fraction: [0.5, '0.5'],
  negative: [-1, '-1'],
  flag: [false, 'false'],
  nothing: [null, 'null'],
  map: [{}, 'a map'],
  list: [[], 'such a list'],
  texts: [['a'], 'such a list'],
  numbers: [[1], 'such a list'],
} as const satisfies Readonly<Record<string, readonly [value: unknown, shown: string]>>

type Kind = keyof typeof values

const text = ['a text', ['text']] as const
const flag = ['true or false', ['flag']] as const
const count = ['an integer of 0 or more', ['integer', 'zero']] as const
const number = ['a number', ['integer', 'zero', 'fraction', 'negative']] as const
const map = ['a map', ['map']] as const
const texts = ['a list, each item a text', ['list', 'texts']] as const
const list = ['a list', ['list', 'texts', 'numbers']] as const

/** What each field of a schema takes, in words, and which kinds of values these are. */
const fields: Readonly<Record<string, readonly [takes: string, kinds: readonly Kind[]]>> = {
  ...{ title: text, description: text, format: text, pattern: text, id: text, $ref: text, $schema: text },
  ...{ minimum: number, maximum: number, multipleOf: number },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count },
  ...{ minProperties: count, maxProperties: count },
  ...{ exclusiveMinimum: flag, exclusiveMaximum: flag, uniqueItems: flag, nullable: flag },
  ...{ required: texts, properties: map, patternProperties: map, definitions: map, not: map },
  ...{ dependencies: map, externalDocs: map, enum: list },
  ...{ 'x-kubernetes-preserve-unknown-fields': flag, 'x-kubernetes-int-or-string': flag },
  ...{ 'x-kubernetes-embedded-resource': flag, 'x-kubernetes-list-map-keys': texts },
  type: ['one of string, number, integer, boolean, array, object, null', []],
  'x-kubernetes-list-type': ['one of atomic, set, map', []],
  'x-kubernetes-map-type': ['one of atomic, granular', []],
  'x-kubernetes-validations': ['a list of maps with the text rule', ['list']],
}

describe('a schema of a stranger', () => {
  it.for(Object.entries(fields))('has %s with a value of its type, or is refused', ([field, [takes, kinds]]) => {
    for (const [kind, [value, shown]] of Object.entries(values))
      expect(refusal(defined({ [field]: value })), kind).toBe(
        kinds.includes(kind as Kind) ? '' : `${path}.${field}: it takes ${takes}, not ${shown}`,
      )
  })

  it.for(['allOf', 'anyOf', 'oneOf'])('has a list of schemas as %s', field => {
    for (const [kind, [value, shown]] of Object.entries(values)) {
      const isList = Array.isArray(value)
      const wrong = isList
        ? `${path}.${field}[0]: a schema is a map`
        : `${path}.${field}: it takes a list, not ${shown}`
      expect(refusal(defined({ [field]: value })), kind).toBe(kind === 'list' ? '' : wrong)
    }
  })

  it.for(['items', 'additionalProperties', 'additionalItems'])('has a schema as %s', field => {
    for (const [kind, [value]] of Object.entries(values)) {
      const isTaken = kind === 'map' || (kind === 'flag' && field !== 'items')
      expect(refusal(defined({ [field]: value })), kind).toBe(isTaken ? '' : `${path}.${field}: a schema is a map`)
    }
  })

  it.for([
    ['type', ['string', 'number', 'integer', 'boolean', 'object', 'null']],
    ['x-kubernetes-list-type', ['atomic', 'set', 'map']],
    ['x-kubernetes-map-type', ['atomic', 'granular']],
  ] as const)('has %s of %j', ([field, all]) => {
    for (const value of all) expect(refusal(defined({ [field]: value }))).toBe('')
    expect(refusal(defined({ type: 'array', items: {} }))).toBe('')
  })

  it.for([
    [{ type: 'array' }, ': an array needs items, a schema'],
    [{ type: 'array', items: [{}] }, ': an array needs items, a schema'],
    [{ 'x-kubernetes-validations': [{ rule: 1 }] }, '.x-kubernetes-validations: it takes a list of maps with the text'],
    [{ 'x-kubernetes-validations': [{ rule: 'a', message: 1 }] }, '.x-kubernetes-validations: it takes a list of maps'],
    [{ 'x-kubernetes-validations': [{ rule: 'a' }, 'b'] }, '.x-kubernetes-validations: it takes a list of maps'],
    [{ properties: { a: { title: 1 } } }, '.properties[a].title: it takes a text'],
    [{ patternProperties: { a: { title: 1 } } }, '.patternProperties[a].title: it takes a text'],
    [{ items: { title: 1 } }, '.items.title: it takes a text'],
    [{ additionalItems: { title: 1 } }, '.additionalItems.title: it takes a text'],
    [{ additionalProperties: { title: 1 } }, '.additionalProperties.title: it takes a text'],
    [{ not: { title: 1 } }, '.not.title: it takes a text'],
    [{ allOf: [{}, { title: 1 }] }, '.allOf[1].title: it takes a text'],
    [{ anyOf: [{ title: 1 }] }, '.anyOf[0].title: it takes a text'],
    [{ oneOf: [{ not: { title: 1 } }] }, '.oneOf[0].not.title: it takes a text'],
    [{ type: 'a\n'.repeat(40) }, `.type: it takes one of string, number, integer, boolean, array, object, null, not "`],
  ])('%j is refused', ([schema, words]) => {
    expect(refusal(defined(schema))).toContain(`${path}${words}`)
  })

  it('shows the begin of another version of definitions', () => {
    expect(refusal({ apiVersion: 'x'.repeat(100) })).toBe(
      `apiVersion: it takes apiextensions.k8s.io/v1, not "${'x'.repeat(59)}`,
    )
  })

  it('is taken with rules and with what no field of ours has', () => {
    const rules = [{ rule: 'true' }, { rule: 'true', message: 'no' }]
    expect(refusal(defined({ 'x-kubernetes-validations': rules, example: 1, toString: 1 }))).toBe('')
  })

  it('has up to 100 levels, and paths of up to 2000 characters', () => {
    const deep = (levels: number, name: string): object =>
      Array.from({ length: levels }).reduce<object>(one => ({ properties: { [name]: one } }), {})
    expect(refusal(defined(deep(100, 'a')))).toBe('')
    expect(refusal(defined(deep(101, 'a')))).toContain('a schema has up to 100 levels')
    const room = 2000 - path.length - '.properties[]'.length
    expect(refusal(defined(deep(1, 'a'.repeat(room))))).toBe('')
    const long = refusal(defined(deep(1, 'a'.repeat(room + 1))))
    expect(long).toContain(' …: a schema has up to 100 levels, and paths of up to 2000 characters')
    expect(long.length).toBeLessThan(200)
  })
})

describe('the values that an error shows', () => {
  it.for([
    ['a'.repeat(60), `"${'a'.repeat(60)}"`],
    ['a'.repeat(61), `"${'a'.repeat(60)}" …`],
    ['a\nb', '"a\\nb"'],
  ])('%j', ([value, shown]) => {
    expect(refusal(defined({ minLength: value }))).toBe(
      `${path}.minLength: it takes an integer of 0 or more, not ${shown}`,
    )
  })
})

const columns = (more: Changes) => ({
  additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a', ...more }],
})
const scale = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' }

describe('a definition of a stranger', () => {
  it.for([
    ofSpec({ scope: 'Cluster', preserveUnknownFields: false, conversion: { strategy: 'None' } }),
    ofMetadata({ labels: { 'example.com/a-b_c.d': '', A1: 'b' }, annotations: { a: '\n' } }),
    ofNames({ singular: 'game', listKind: 'GameList', shortNames: ['g', 'g-1'], categories: ['all'] }),
    ofVersion({ deprecated: true, deprecationWarning: 'Old.', subresources: { status: {}, scale } }),
    ofVersion({ subresources: { scale: { ...scale, labelSelectorPath: '.status.b' } } }),
    ofVersion(columns({ description: 'A b.', format: 'int32', priority: 1 })),
    ofVersion({ selectableFields: [{ jsonPath: '.spec.a' }] }),
    ofVersion({ schema: {} }),
    ofNames({ kind: 'G', shortNames: ['g'], categories: [] }),
    ofNames({ kind: 'G'.repeat(63), shortNames: ['g'.repeat(63)] }),
    ofSpec({
      versions: [
        { name: 'v1', served: true, storage: true },
        { name: 'v2', served: false, storage: false },
      ],
    }),
  ])('is taken: %j', definition => {
    expect(refusal(definition)).toBe('')
    expect(checkedDefinition(definition)).toBe(definition)
  })

  it.for<readonly [Changes, string]>([
    [{}, 'apiVersion: it takes apiextensions.k8s.io/v1, not undefined'],
    [{ ...ofSpec({}), metadata: null }, 'metadata: it is missing, and takes a map'],
    [{ ...ofSpec({}), metadata: [] }, 'metadata: it takes a map, not such a list'],
    [ofMetadata({ name: 'a' }), 'metadata.name: it takes <plural>.<group>, here games.example.com'],
    [ofMetadata({ name: 1 }), 'metadata.name: it takes a text, not 1'],
    [ofMetadata({ labels: { 'a b': '' } }), 'metadata.labels: it takes texts by keys'],
    [ofMetadata({ annotations: { b: '', '-a': '' } }), 'metadata.annotations: it takes texts by keys'],
    [ofMetadata({ annotations: { '-a': '' } }), 'metadata.annotations: it takes texts by keys'],
    [ofMetadata({ annotations: { 'a.': '' } }), 'metadata.annotations: it takes texts by keys'],
    [ofMetadata({ annotations: { a: 1 } }), 'metadata.annotations: it takes texts by keys'],
    [ofMetadata({ annotations: { a: 'x', b: 1 } }), 'metadata.annotations: it takes texts by keys'],
    [ofMetadata({ annotations: ['a'] }), 'metadata.annotations: it takes texts by keys'],
    [ofSpec({ group: 'a'.repeat(254) }), 'spec.group: it takes a domain such as arcade.example.com'],
    [ofSpec({ group: 'example' }), 'spec.group: it takes a domain'],
    [ofSpec({ group: 'x.example.com/y' }), 'spec.group: it takes a domain'],
    [ofSpec({ group: undefined, scope: 'x' }), 'spec.group: it takes a domain'],
    [ofSpec({ scope: 'Everywhere' }), 'spec.scope: it takes one of Namespaced, Cluster, not "Everywhere"'],
    [ofSpec({ preserveUnknownFields: 1 }), 'spec.preserveUnknownFields: it takes true or false'],
    [ofSpec({ conversion: [] }), 'spec.conversion: it takes a map'],
    [ofSpec({ versions: {} }), 'spec.versions: it takes a list, not a map'],
    [ofSpec({ versions: [] }), 'spec.versions: one version has storage: true, not 0'],
    [ofSpec({ versions: [null] }), 'spec.versions[0]: a version is a map'],
    [ofNames({ kind: 'G'.repeat(64) }), 'spec.names.kind: it takes a name of letters'],
    [ofNames({ kind: '1G' }), 'spec.names.kind: it takes a name of letters'],
    [ofNames({ plural: 'games_' }), 'spec.names.plural: it takes a name of a to z'],
    [ofNames({ singular: '' }), 'spec.names.singular: it takes a name of a to z'],
    [ofNames({ listKind: 'a b' }), 'spec.names.listKind: it takes a name of letters'],
    [ofNames({ shortNames: ['a', 'B'] }), 'spec.names.shortNames: it takes a list, each item a name of a to z'],
    [ofNames({ categories: 'all' }), 'spec.names.categories: it takes a list, each item a name of a to z'],
    [ofVersion({ name: 'V1' }), 'spec.versions[0].name: it takes a name such as v1'],
    [ofVersion({ served: 'yes' }), 'spec.versions[0].served: it takes true or false'],
    [ofVersion({ storage: null }), 'spec.versions[0].storage: it is missing, and takes true or false'],
    [ofVersion({ storage: false }), 'spec.versions: one version has storage: true, not 0'],
    [ofVersion({ deprecated: 'yes' }), 'spec.versions[0].deprecated: it takes true or false'],
    [ofVersion({ deprecationWarning: 1 }), 'spec.versions[0].deprecationWarning: it takes a text'],
    [ofVersion({ schema: [] }), 'spec.versions[0].schema: it takes a map'],
    [ofVersion({ schema: { openAPIV3Schema: 1 } }), `${path}: it takes a map, not 1`],
    [ofVersion({ subresources: 1 }), 'spec.versions[0].subresources: it takes a map'],
    [ofVersion({ subresources: { status: 1 } }), 'spec.versions[0].subresources.status: it takes a map'],
    [ofVersion({ subresources: { scale: [] } }), 'spec.versions[0].subresources.scale: it takes a map'],
    [
      ofVersion({ subresources: { scale: {} } }),
      'spec.versions[0].subresources.scale.specReplicasPath: it is missing, and takes a JSON path without spaces',
    ],
    [
      ofVersion({ subresources: { scale: { ...scale, statusReplicasPath: 'a b' } } }),
      'spec.versions[0].subresources.scale.statusReplicasPath: it takes a JSON path',
    ],
    [
      ofVersion({ subresources: { scale: { ...scale, labelSelectorPath: '' } } }),
      'spec.versions[0].subresources.scale.labelSelectorPath: it takes a JSON path',
    ],
    [
      ofVersion(columns({ name: 1 })),
      'spec.versions[0].additionalPrinterColumns: it takes a list, each item a map with the texts name',
    ],
    [ofVersion(columns({ description: 1 })), 'spec.versions[0].additionalPrinterColumns: it takes a list'],
    [ofVersion(columns({ format: 1 })), 'spec.versions[0].additionalPrinterColumns: it takes a list'],
    [ofVersion({ additionalPrinterColumns: ['a'] }), 'spec.versions[0].additionalPrinterColumns: it takes a list'],
    [
      ofVersion({ selectableFields: ['a'] }),
      'spec.versions[0].selectableFields: it takes a list, each item a map with the text jsonPath',
    ],
    [ofVersion({ selectableFields: [{ jsonPath: 'a b' }] }), 'spec.versions[0].selectableFields: it takes a list'],
    [
      ofSpec({
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v1', served: true, storage: false },
        ],
      }),
      'spec.versions[1].name: v1 is there twice',
    ],
  ])('is refused: %j', ([definition, words]) => {
    expect(refusal(definition).slice(0, words.length)).toBe(words)
  })
})
