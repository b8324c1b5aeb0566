import { Client, defineResource, isInvalid } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fitting, misfits } from '../testkit/defaults.ts'
import { expressible } from '../testkit/schemas.ts'
import type { JsonSchema } from './json-schema.ts'
import { structuralSchema } from './structural.ts'

const available = await realApiServerAvailable('the test of definitions made from schemas')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

const namesOf = (at: number) => ({
  group: 'schemas.example.com',
  kind: `Case${at}`,
  plural: `case${at}s`,
  version: 'v1',
})

describe.for(kinds)("on an API server of kind '%s'", kind => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind })
  })
  afterAll(() => server?.close())

  it('K1: takes the definition of each schema, and accepts and refuses the same objects', {
    timeout: 240_000,
  }, async () => {
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    const results: unknown[] = []
    const expected: unknown[] = []
    for (const [at, { schema }] of expressible.entries()) {
      const names = namesOf(at)
      const spec = structuralSchema(schema, { path: 'spec' })
      await client.create(customResourceDefinitions, {
        metadata: { name: `${names.plural}.${names.group}` },
        spec: {
          group: names.group,
          scope: 'Cluster',
          names: { kind: names.kind, plural: names.plural, singular: `case${at}` },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
            },
          ],
        },
      })
    }
    for (const [at, { title, accepted = [], refused = [] }] of expressible.entries()) {
      const names = namesOf(at)
      const view = defineResource<{ metadata: { name: string }; spec: unknown }>({ ...names, namespaced: false })
      await expect
        .poll(
          () =>
            client.list(view).then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true)
      const values = [
        ...accepted.map(value => [value, true] as const),
        ...refused.map(value => [value, false] as const),
      ]
      for (const [number, [value, ok]] of values.entries()) {
        const created = await client.create(view, { metadata: { name: `value-${number}` }, spec: value }).then(
          () => true,
          error => {
            if (isInvalid(error)) return false
            throw error
          },
        )
        results.push([title, value, created])
        expected.push([title, value, ok])
      }
    }
    expect(results).toEqual(expected)
    await client.close()
  })

  it('K1: refuses a default that the schema of its field does not accept, as we do, and takes the others', async () => {
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    // The other test defines kinds in the group of all cases.
    const names = { ...namesOf(0), group: 'defaults.example.com' }
    const isTaken = (field: JsonSchema): Promise<boolean> => {
      const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: { field } } } }
      const definition = {
        metadata: { name: `${names.plural}.${names.group}` },
        spec: {
          ...{ group: names.group, scope: 'Cluster', names: { kind: names.kind, plural: names.plural } },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      } as CustomResourceDefinition
      return client.create(customResourceDefinitions, definition, { dryRun: true }).then(
        () => true,
        error => {
          if (isInvalid(error)) return false
          throw error
        },
      )
    }
    for (const [field] of misfits) expect([field, await isTaken(field)]).toEqual([field, false])
    for (const field of fitting) expect([field, await isTaken(field)]).toEqual([field, true])
    await client.close()
  })
})
