import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { Target } from './target.ts'

type Values = Readonly<Record<string, unknown>>

interface Swagger extends Values {
  readonly paths: Values
  readonly definitions: Values
  readonly parameters: Values
}

const available = await realApiServerAvailable('the comparison of OpenAPI v2')

describe.runIf(available)('OpenAPI v2', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = await startApiServer({ authorization: 'RBAC' })
  })

  afterAll(() => server.close())

  it('F4: describes every kind and path as a real server does', async () => {
    const real = await document(new Target('real', await sharedRealServer()))
    const embedded = await document(new Target('embedded', server))
    expect(real.size).toBeGreaterThan(1000)
    const names = new Set([...real.keys(), ...embedded.keys()])
    expect([...names].filter(name => real.get(name) !== embedded.get(name))).toEqual([])
  })
})

/** What the embedded server does not have: the addresses of keys, and kinds at versions that no server stores. */
const left = {
  paths: ['/.well-known/openid-configuration/', '/openid/v1/jwks/'],
  kinds: ['DeleteOptions', 'WatchEvent'],
}

/** The parts of the document by their names, as texts: each parameter is in place of its reference, and lists of alternatives in one order. */
async function document(target: Target): Promise<ReadonlyMap<string, string>> {
  const { text } = await target.ask('GET', '/openapi/v2', {})
  target.close()
  const { parameters, paths, definitions, ...rest } = JSON.parse(text) as Swagger
  const parts: Values = { ...rest, ...paths, ...definitions }
  const kept = Object.entries(parts).filter(([name]) => !left.paths.includes(name))
  return new Map(
    kept.map(([name, part]) => {
      const everywhere = left.kinds.some(kind => name.endsWith(`.meta.v1.${kind}`))
      const shown = everywhere ? { ...(part as Values), 'x-kubernetes-group-version-kind': [] } : part
      return [name, JSON.stringify(sorted(inlined(shown, parameters)))]
    }),
  )
}

const unordered: ReadonlySet<string> = new Set(['produces', 'consumes', 'parameters'])

function inlined(value: unknown, parameters: Values, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => inlined(item, parameters))
    return unordered.has(name) ? items.map(item => JSON.stringify(sorted(item))).sort() : items
  }
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Values
  if (typeof $ref === 'string' && $ref.startsWith('#/parameters/')) {
    return parameters[$ref.slice('#/parameters/'.length)]
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inlined(inner, parameters, key)]))
}

/** A value with its fields in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => [name, sorted(inner)])
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}
