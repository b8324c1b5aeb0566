import Type from 'typebox'
import { defineCustomResource } from '../../definition/define.ts'
import type { CustomResource } from '../../definition/types.ts'
import { names, ofObject, rule } from './shared.ts'

const source = Type.Union([
  Type.Object({
    kind: Type.Literal('http'),
    url: Type.String(),
    retries: Type.Integer({ minimum: 0, maximum: 9 }),
  }),
  Type.Object(
    {
      kind: Type.Literal('file'),
      path: Type.String(),
      mode: Type.Optional(Type.Union([Type.Literal('r'), Type.Literal('rw')])),
    },
    { additionalProperties: false },
  ),
])

/** A resource of typebox, with each case that typebox has words for. */
export const typeboxResource: CustomResource = defineCustomResource({
  ...names('Typebox'),
  ...ofObject,
  description: 'A resource that is described with typebox.',
  spec: Type.Object(
    {
      replicas: Type.Integer({ minimum: 0, maximum: 64, default: 1, description: 'How many run.' }),
      ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 })),
      name: Type.String({ minLength: 2, maxLength: 63, pattern: '^[a-z]+$', description: 'Lower-case letters.' }),
      port: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
      mode: Type.Union([Type.Literal('easy'), Type.Literal('hard')], {
        'x-kubernetes-validations': [rule('self == oldSelf', 'is immutable')],
      }),
      fixed: Type.Optional(Type.Literal('yes')),
      note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      level: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('high'), Type.Null()])),
      deadline: Type.Optional(Type.String({ format: 'date-time' })),
      source,
      loose: Type.Optional(Type.Object({ known: Type.Optional(Type.String()) }, { additionalProperties: true })),
      anything: Type.Optional(Type.Unknown()),
      labels: Type.Optional(Type.Object({}, { additionalProperties: Type.String({ maxLength: 63 }) })),
      pair: Type.Optional(Type.Tuple([Type.String(), Type.String()])),
      matrix: Type.Optional(Type.Array(Type.Array(Type.Integer(), { maxItems: 4 }), { maxItems: 4 })),
      storage: Type.Object(
        { class: Type.String({ default: 'standard' }), gigabytes: Type.Integer({ default: 10 }) },
        { default: {} },
      ),
      both: Type.Optional(Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Integer() })])),
      containers: Type.Optional(
        Type.Array(Type.Object({ name: Type.String(), image: Type.Optional(Type.String()) }), {
          maxItems: 16,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        }),
      ),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 8, uniqueItems: true })),
    },
    { additionalProperties: false, description: 'What is wanted.' },
  ),
  status: Type.Object({ ready: Type.Optional(Type.Integer()), selector: Type.Optional(Type.String()) }),
})
