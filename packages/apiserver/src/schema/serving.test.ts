import { describe, expect, it } from 'vitest'
import { definitions, game, gameDefinition, games, type Kit, merge, sie, withServer } from '../testkit/in-memory.ts'

type Raw = Record<string, unknown>

const spec = {
  type: 'object',
  properties: {
    colour: { type: 'string', default: 'blue' },
    size: { type: 'integer', minimum: 1 },
    replicas: { type: 'integer' },
  },
}
const status = { type: 'object', required: ['phase'], properties: { phase: { type: 'string' } } }

function schema(properties: Raw = { spec, status }): Raw {
  return { schema: { openAPIV3Schema: { type: 'object', properties } } }
}

function v1(more: Raw = schema()): Raw {
  return { name: 'v1', served: true, storage: true, ...more }
}

/** Runs `test` where games have a schema. */
function withSchema(test: (kit: Kit) => Promise<void>, versions: readonly Raw[] = [v1()]): Promise<void> {
  return withServer(async kit => {
    expect((await kit.call('POST', definitions, gameDefinition(versions))).status).toBe(201)
    await kit.sim.advance(1000)
    await test(kit)
  })
}

/** Gives the definition of games other versions, and waits until they are in force. */
async function redefine({ call, sim }: Kit, versions: readonly Raw[]): Promise<void> {
  const path = `${definitions}/games.arcade.example.com`
  const patch = { spec: (gameDefinition(versions) as { spec: Raw }).spec }
  expect((await call('PATCH', path, patch, merge)).status).toBe(200)
  await sim.advance(2000)
}

describe('definitions', () => {
  it('F1: a property that is null has an empty schema, which lacks a type', () =>
    withServer(async ({ call }) => {
      const { status, json } = await call('POST', definitions, gameDefinition([v1(schema({ spec: null }))]))
      expect([status, json.details.causes]).toEqual([
        422,
        [
          {
            reason: 'FieldValueRequired',
            message: 'Required value: must not be empty for specified object fields',
            field: 'spec.validation.openAPIV3Schema.properties[spec].type',
          },
        ],
      ])
    }))
})

describe('writes of custom resources', () => {
  it('F1: are 422 with each of 130,000 wrong items: the stack takes fewer arguments of a call', () =>
    withSchema(
      async ({ call }) => {
        const { status, json } = await call('POST', games, game('a', { list: Array(130_000).fill(1) }))
        expect(status).toBe(422)
        expect(json.details.causes).toHaveLength(130_000)
      },
      [v1(schema({ spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } } }))],
    ))

  it('F1: fill in defaults, remove what the schema does not know, and warn of it', () =>
    withSchema(async ({ call }) => {
      const made = await call('POST', games, game('a', { zz: 1, colour: null, size: null }))
      expect([made.status, made.json.spec]).toEqual([201, { colour: 'blue' }])
      expect(made.headers.warning).toEqual(['299 - "unknown field \\"spec.zz\\""'])
      expect((await call('GET', `${games}/a`)).json).toEqual(made.json)
      const quiet = await call('POST', `${games}?fieldValidation=Ignore`, game('b', { zz: 1 }))
      expect([quiet.status, quiet.headers.warning, quiet.json.spec]).toEqual([201, undefined, { colour: 'blue' }])
    }))

  it('F1: are refused with fieldValidation=Strict for unknown and repeated fields', () =>
    withSchema(async ({ call }) => {
      const text = JSON.stringify(game('a', { zz: 1 }, { more: 1 })).replace('"zz"', '"size":1,"size":2,"zz"')
      const { status, json } = await call('POST', `${games}?fieldValidation=Strict`, text)
      expect([status, json.reason, json.message]).toEqual([
        400,
        'BadRequest',
        'Game in version "v1" cannot be handled as a Game: strict decoding error: duplicate field "spec.size", unknown field "metadata.more", unknown field "spec.zz"',
      ])
      expect((await call('GET', games)).json.items).toEqual([])
      expect((await call('POST', `${games}?fieldValidation=Strict`, game('a', { size: 1 }))).status).toBe(201)
      const patched = await call('PATCH', `${games}/a?fieldValidation=Strict`, { spec: { zz: 1 } }, merge)
      expect([patched.status, patched.json.details.causes[0].field]).toEqual([422, 'patch'])
      expect(patched.json.message).toMatch(/^ "" is invalid: patch: .*strict decoding error: unknown field "spec\.zz"$/)
    }))

  it('F1: are refused with every cause, and change nothing', () =>
    withSchema(async ({ call }) => {
      const { status, json } = await call('POST', games, game('a', { size: 0, colour: 5 }))
      expect([status, json.reason]).toEqual([422, 'Invalid'])
      expect(json.details.causes).toEqual([
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "integer": spec.colour in body must be of type string: "integer"',
          field: 'spec.colour',
        },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: spec.size in body should be greater than or equal to 1',
          field: 'spec.size',
        },
      ])
      await call('POST', games, game('a', { size: 2 }))
      const before = (await call('GET', `${games}/a`)).json
      expect((await call('PATCH', `${games}/a`, { spec: { size: 0 } }, merge)).status).toBe(422)
      expect((await call('PUT', `${games}/a`, { ...before, spec: { size: 0 } })).status).toBe(422)
      expect((await call('GET', `${games}/a`)).json).toEqual(before)
    }))

  it('F1: of the status are refused for the status alone', () =>
    withSchema(async kit => {
      const { call } = kit
      await call('POST', games, game('a', { size: 2 }))
      const bad = await call('PATCH', `${games}/a/status`, { status: { phase: null } }, merge)
      expect(bad.json.details.causes).toEqual([
        { reason: 'FieldValueRequired', message: 'Required value', field: 'status.phase' },
      ])
      await redefine(kit, [v1(schema({ spec: { ...spec, required: ['owner'] }, status }))])
      const good = await call('PATCH', `${games}/a/status`, { status: { phase: 'Up', zz: 1 } }, merge)
      expect([good.status, good.json.status]).toEqual([200, { phase: 'Up' }])
    }))

  it('F1: through scale keep to the schema too', () =>
    withSchema(async ({ call }) => {
      await call('POST', games, game('a', { replicas: 1 }))
      const scaled = await call('PATCH', `${games}/a/scale`, { spec: { replicas: 3 } }, merge)
      expect([scaled.status, (await call('GET', `${games}/a`)).json.spec]).toEqual([
        200,
        { colour: 'blue', replicas: 3 },
      ])
    }))
})

describe('a schema that changes', () => {
  const next = v1(
    schema({
      spec: {
        type: 'object',
        properties: { size: { type: 'integer', minimum: 9 }, taste: { type: 'string', default: 'new' } },
      },
    }),
  )

  it('F1: shows old objects with its defaults and without what it no longer knows, in every kind of read', () =>
    withSchema(async kit => {
      const { call } = kit
      const rv = (await call('POST', games, game('a', { size: 2 }))).json.metadata.resourceVersion
      await redefine(kit, [next])
      const read = await call('GET', `${games}/a`)
      const shown = { size: 2, taste: 'new' }
      expect([read.json.spec, read.json.metadata.resourceVersion]).toEqual([shown, rv])
      expect((await call('GET', games)).json.items[0].spec).toEqual(shown)
      const watch = await kit.watch(`${games}?${sie}`)
      await kit.sim.advance(100)
      expect(watch.events[0]?.object.spec).toEqual(shown)
      watch.abort()
    }))

  it('F1: makes a write that changes nothing else store the object again, once', () =>
    withSchema(async kit => {
      const { call } = kit
      const made = (await call('POST', games, game('a', { size: 10 }))).json
      await redefine(kit, [next])
      const first = (await call('PATCH', `${games}/a`, {}, merge)).json
      expect(Number(first.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion))
      expect([first.metadata.generation, first.spec]).toEqual([1, { size: 10, taste: 'new' }])
      expect((await call('PATCH', `${games}/a`, {}, merge)).json).toEqual(first)
    }))

  it('F1: lets what was valid before pass as long as it is not touched', () =>
    withSchema(async kit => {
      const { call } = kit
      await call('POST', games, game('a', { size: 2 }))
      await redefine(kit, [next])
      expect((await call('PATCH', `${games}/a`, { metadata: { labels: { a: 'b' } } }, merge)).status).toBe(200)
      expect((await call('PATCH', `${games}/a`, { spec: { taste: 'x' } }, merge)).status).toBe(200)
      expect((await call('PATCH', `${games}/a`, { spec: { size: 3 } }, merge)).status).toBe(422)
      expect((await call('POST', games, game('b', { size: 2 }))).status).toBe(422)
    }))

  it('F1: is each version’s own', () =>
    withSchema(
      async ({ call }) => {
        await call('POST', games, game('a', { size: 2, colour: 'red' }))
        const other = await call('GET', `${games.replace('/v1/', '/v2/')}/a`)
        expect([other.json.apiVersion, other.json.spec]).toEqual(['arcade.example.com/v2', { size: 2 }])
        expect((await call('GET', `${games}/a`)).json.spec).toEqual({ size: 2, colour: 'red' })
      },
      [
        v1(),
        {
          name: 'v2',
          served: true,
          storage: false,
          ...schema({ spec: { type: 'object', properties: { size: { type: 'integer' } } } }),
        },
      ],
    ))
})

describe('definitions', () => {
  it('F1: are refused for schemas that are not structural', () =>
    withServer(async ({ call }) => {
      const bad = schema({ spec: { type: 'object', properties: { a: { type: 'string', default: 5 }, b: {} } } })
      const { status, json } = await call('POST', definitions, gameDefinition([v1(bad)]))
      expect([status, json.details.causes]).toEqual([
        422,
        [
          {
            reason: 'FieldValueRequired',
            message: 'Required value: must not be empty for specified object fields',
            field: 'spec.validation.openAPIV3Schema.properties[spec].properties[b].type',
          },
        ],
      ])
    }))

  it('F1: are answered 501 where a real server would check what this one can’t', () =>
    withServer(async ({ call }) => {
      const schemas: [Raw, string][] = [[{ type: 'string', format: 'isbn' }, 'the format isbn']]
      for (const [one, what] of schemas) {
        const { status, json } = await call('POST', definitions, gameDefinition([v1(schema({ spec: one }))]))
        expect([status, json.message]).toEqual([501, `the embedded API server does not do this: schemas with ${what}`])
      }
    }))
})
