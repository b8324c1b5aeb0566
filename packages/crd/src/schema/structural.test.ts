import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OptionTypeError } from '@wherry/client'
import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { fitting, misfits, trap } from '../testkit/defaults.ts'
import { expressible, inexpressible } from '../testkit/schemas.ts'
import { schemaProblems, structuralSchema } from './structural.ts'

describe('structuralSchema', () => {
  it.for(expressible.map(one => [one.title, one] as const))(
    'gives a schema that stays the same: %s',
    ([, { schema }]) => {
      const structural = structuralSchema(schema)
      expect(structuralSchema(structural as Record<string, unknown>)).toEqual(structural)
    },
  )

  it.for(inexpressible.map(one => [one.title, one] as const))('K1: refuses with the path: %s', ([, one]) => {
    expect(
      schemaProblems(one.schema, { path: 'spec' })
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...(one.refusedAt ?? [])].sort())
  })

  it('merges a discriminated union; each branch keeps only its limits', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('http'), port: z.int() }),
      z.strictObject({ kind: z.literal('file'), path: z.string() }),
    ])
    expect(structuralSchema(schema)).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['http', 'file'] },
        port: { type: 'integer', format: 'int64' },
        path: { type: 'string' },
      },
      required: ['kind'],
      oneOf: [
        { required: ['port'], properties: { kind: { enum: ['http'] } } },
        { required: ['path'], properties: { kind: { enum: ['file'] } }, not: { required: ['port'] } },
      ],
    })
  })

  it('takes descriptions along, and leaves out what describes a JSON Schema', () => {
    const schema = z.object({ a: z.string().meta({ description: 'A.', examples: ['x'], deprecated: true }) })
    expect(structuralSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: 'A.' } },
      required: ['a'],
    })
  })

  it('writes limits as OpenAPI 3.0 has them, drops those of a JavaScript number', () => {
    const schema = z.object({ a: z.int(), b: z.number().gt(1), c: z.int().min(3), d: z.iso.datetime() })
    expect(structuralSchema(schema).properties).toEqual({
      a: { type: 'integer', format: 'int64' },
      b: { type: 'number', minimum: 1, exclusiveMinimum: true },
      c: { type: 'integer', format: 'int64', minimum: 3 },
      d: { type: 'string', format: 'date-time' },
    })
  })

  it.each([
    [{ minimum: 5, exclusiveMinimum: 3 }, { minimum: 5 }],
    [
      { minimum: 3, exclusiveMinimum: 5 },
      { minimum: 5, exclusiveMinimum: true },
    ],
    [
      { minimum: 5, exclusiveMinimum: 5 },
      { minimum: 5, exclusiveMinimum: true },
    ],
    [{ maximum: 3, exclusiveMaximum: 5 }, { maximum: 3 }],
    [
      { maximum: 5, exclusiveMaximum: 3 },
      { maximum: 3, exclusiveMaximum: true },
    ],
    [
      { maximum: 5, exclusiveMaximum: 5 },
      { maximum: 5, exclusiveMaximum: true },
    ],
  ])('keeps the narrower of two limits: %j', (limits, kept) => {
    expect(structuralSchema({ type: 'number', ...limits })).toEqual({ type: 'number', ...kept })
  })

  it('keeps defaults, those of nested fields too, whichever library', () => {
    const nested = (properties: object): unknown => ({
      type: 'object',
      properties: { n: { type: 'object', properties } },
    })
    expect(structuralSchema(type({ 'n?': { d: 'number = 3' } }))).toEqual(nested({ d: { type: 'number', default: 3 } }))
    const zod = z.object({ n: z.object({ d: z.number().default(3) }).optional() })
    expect(structuralSchema(zod)).toEqual(nested({ d: { type: 'number', default: 3 } }))
  })

  it('K1: does not require a field with a default within the default of an object, which the server would refuse', () => {
    const inner = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } },
    }
    const schema = { ...{ type: 'object', default: { n: { b: 'y' } } }, required: ['n'], properties: { n: inner } }
    const fitted = { ...schema, properties: { n: { ...inner, required: ['b'] } } }
    expect([schema, inner].map(one => structuralSchema(one))).toEqual([fitted, inner])
  })

  it("K1: keeps the fields of arktype's object, which may have any", () => {
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const { properties } = structuralSchema(type({ any: 'object', 'list?': 'object[]' }))
    expect([properties?.any, properties?.list]).toEqual([any, { type: 'array', items: any }])
    const plain = { type: 'object', properties: { metadata: { type: 'object' } } }
    expect(structuralSchema(plain)).toEqual(plain)
  })

  it('takes a record as TypeBox writes it, and refuses a pattern that some names do not match', () => {
    const record = (pattern: string) => ({ type: 'object', patternProperties: { [pattern]: { type: 'string' } } })
    expect(structuralSchema(record('^.*$'))).toEqual({ type: 'object', additionalProperties: { type: 'string' } })
    expect(schemaProblems(record('^a'))).toMatchObject([{ message: expect.stringContaining("'patternProperties'") }])
  })

  it.each([...misfits, trap])(
    'K1: refuses a default that the schema of its field does not accept: %o',
    (field, problem) => {
      const list = { type: 'array', items: field }
      const schema = { type: 'object', properties: { map: { type: 'object', additionalProperties: list } } }
      const [found] = schemaProblems(schema, { path: 'spec' })
      const value = JSON.stringify(field.default)
      expect(`${found?.path} ${found?.message}`).toBe(`spec.map{}[] has the default ${value}, which ${problem}.`)
    },
  )

  it.each(fitting)('takes a default that the schema of its field accepts: %o', field => {
    expect(schemaProblems({ type: 'object', properties: { field } })).toEqual([])
  })

  it('leaves what only describes a value in OpenAPI as it is', () => {
    const externalDocs = { url: 'https://example.com' }
    const schema = { type: 'object', properties: { a: { type: 'string', example: 'x' } }, externalDocs }
    expect(structuralSchema(schema)).toEqual(schema)
  })

  it('leaves the definitions of the examples as they are', () => {
    const files = globSync('../../../../examples/{*,ported/*}/deploy/crd/*.yaml', { cwd: import.meta.dirname })
    const schemas = files
      .flatMap(file => parseAllDocuments(readFileSync(join(import.meta.dirname, file), 'utf8')))
      .map(document => document.toJS())
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .flatMap(({ spec }) => spec.versions)
      .map(version => version.schema.openAPIV3Schema)
    expect(schemas.length).toBeGreaterThan(8)
    for (const schema of schemas) expect(structuralSchema(schema)).toEqual(schema)
  })

  it('says what to do, with each problem on a line of its own', () => {
    const schema = z.object({ d: z.date(), p: z.string().regex(/^(?=a)/) })
    expect(() => structuralSchema(schema, { path: 'spec' })).toThrow(OptionTypeError)
    expect(() => structuralSchema(schema, { path: 'spec' })).toThrow(
      "spec.d: is a date, which JSON does not have. Use a string of the format 'date-time'.\n" +
        "spec.p: the pattern ^(?=a) has a lookaround, which the API server's regular expressions (RE2) do not have. Write it without, or as a CEL rule.",
    )
  })
})
