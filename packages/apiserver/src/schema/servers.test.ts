import type { JsonObject } from '@wherry/cel/internal'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { ask as askServer, eventually, type TestAnswer, warningsOf } from '@wherry/testing/real/testkit/client'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { definitions, withServer } from '../testkit/in-memory.ts'
import { schemaCases } from './testkit/cases.ts'
import { refusedNames, refusedSchemas, refusedVersions } from './testkit/refused.ts'

const available = await realApiServerAvailable('the comparison of schemas with a real API server')

type Ask = (method: string, path: string, body?: string, type?: string) => Promise<TestAnswer>

/** No two resources of a group are of one kind. */
function kindOf(plural: string): string {
  return `Kind${plural}`
}

function definition(plural: string, versions: readonly JsonObject[]): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.x.example.com` },
    spec: { group: 'x.example.com', scope: 'Cluster', names: { plural, kind: kindOf(plural) }, versions },
  })
}

function version(schema: JsonObject, more: JsonObject = {}): JsonObject {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }
}

function thing(plural: string, name: string, spec: JsonObject | string, more = ''): string {
  const text = typeof spec === 'string' ? spec : JSON.stringify(spec)
  return `{"apiVersion":"x.example.com/v1","kind":"${kindOf(plural)}","metadata":{"name":"${name}"},"spec":${text}${more}}`
}

/** Each case has a resource of its own. */
const cases = schemaCases.map(({ title, schema, whole, specs }, i) => ({
  title,
  plural: `things${i}`,
  versions: [version(whole === true ? schema : { type: 'object', properties: { spec: schema } })],
  specs,
}))

const changedSpec: JsonObject = {
  type: 'object',
  required: ['a'],
  properties: {
    a: { type: 'string', maxLength: 3 },
    n: { type: 'integer', default: 1, minimum: 0 },
    old: { type: 'string' },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
    },
  },
}
const changedStatus: JsonObject = {
  type: 'object',
  required: ['phase'],
  properties: { phase: { enum: ['A', 'B'], type: 'string' } },
}
/** The versions of the resource with objects that are changed. */
const changes = [
  version(
    { type: 'object', properties: { spec: changedSpec, status: changedStatus } },
    { subresources: { status: {} } },
  ),
]

/** An answer without what differs between any two servers. Causes have no order: the real server's are from maps. */
function comparable({ status, warnings, body }: TestAnswer): unknown {
  const { causes } = (body.details ?? {}) as { causes?: { field: string; message: string }[] }
  const said = {
    status,
    warnings,
    reason: body.reason,
    spec: body.spec,
    state: body.status?.conditions === undefined ? body.status : undefined,
    generation: body.metadata?.generation,
  }
  if (causes === undefined) return status < 300 ? said : { ...said, message: body.message }
  // A patch that is refused is shown whole, with what differs of every object.
  const shown = (text: string): string => text.replace(/"\{.*\}": strict/, '{}: strict')
  const sorted = causes.map(cause => JSON.stringify(inOrder({ ...cause, message: shown(cause.message) }))).sort()
  return { ...said, causes: sorted, message: causes.length === 1 ? shown(body.message) : undefined }
}

function inOrder(cause: object): object {
  return Object.fromEntries(Object.entries(cause).sort())
}

/** What a server answers to each request in turn. */
async function answers(ask: Ask, requests: readonly Parameters<Ask>[]): Promise<unknown[]> {
  const all: unknown[] = []
  for (const request of requests) all.push(comparable(await ask(...request)))
  return all
}

describe.runIf(available)('F1: schemas of custom resources are those of a real API server', () => {
  let real: RealApiServer
  beforeAll(async () => {
    real = await sharedRealServer()
    // A definition comes into force after about two seconds: the test waits once, for all of them together.
    const defined = [...cases.map(({ plural, versions }) => [plural, versions] as const), ['changes', changes] as const]
    for (const [plural, versions] of defined)
      expect((await askedReal('POST', definitions, definition(plural, versions))).status).toBe(201)
    for (const [plural] of defined)
      await eventually(
        () => askedReal('GET', `/apis/x.example.com/v1/${plural}`),
        ({ status }) => status === 200,
      )
  })

  const askedReal: Ask = (method, path, body, type) => askServer(real, method, path, body, type)

  async function embedded<T>(test: (ask: Ask, wait: (ms: number) => Promise<void>) => Promise<T>): Promise<T> {
    let result: T | undefined
    await withServer(async ({ call, sim }) => {
      const ask: Ask = async (method, path, body, type = 'application/json') => {
        const answer = await call(method, path, body, { 'content-type': type })
        const json = String(answer.headers['content-type']).includes('json')
        const warnings = warningsOf(answer.headers.warning)
        return { status: answer.status, warnings, body: json ? answer.json : answer.text }
      }
      result = await test(ask, async ms => void (await sim.advance(ms)))
    })
    return result as T
  }

  /** Runs the requests on both. The definition is in force on the real server. */
  async function compare(plural: string, versions: readonly JsonObject[], requests: readonly Parameters<Ask>[]) {
    const expected = await answers(askedReal, requests)
    const found = await embedded(async (ask, wait) => {
      expect((await ask('POST', definitions, definition(plural, versions))).status).toBe(201)
      await wait(1000)
      return answers(ask, requests)
    })
    for (const [i, request] of requests.entries())
      expect({ request, answer: found[i] }).toEqual({ request, answer: expected[i] })
  }

  it.each(cases)('with $title', async ({ plural, versions, specs }) => {
    const path = `/apis/x.example.com/v1/${plural}`
    const requests = specs.flatMap((spec, j): Parameters<Ask>[] => [
      ['POST', path, thing(plural, `o${j}`, spec)],
      ['POST', `${path}?fieldValidation=Strict`, thing(plural, `s${j}`, spec)],
    ])
    await compare(plural, versions, requests)
  })

  it('where a definition is refused for its columns, selectable fields, scale or names', async () => {
    const ofVersions = refusedVersions.map((more, i) =>
      definition(`refused${i}`, [{ name: 'v1', served: true, storage: true, ...more }]),
    )
    const ofNames = refusedNames.map(({ group, names, approval }) => {
      const whole = JSON.parse(definition('refused', [version({ type: 'object' })]))
      const annotations = approval === undefined ? {} : { 'api-approved.kubernetes.io': approval }
      const metadata = { name: `refused.${group}`, annotations }
      const spec = { ...whole.spec, group, names: { ...whole.spec.names, ...names } }
      return JSON.stringify({ ...whole, metadata, spec })
    })
    const causesOf = ({ status, body }: TestAnswer): unknown => [
      status,
      ((body.details?.causes ?? []) as object[]).map(cause => JSON.stringify(inOrder(cause as JsonObject))).sort(),
    ]
    for (const text of [...ofVersions, ...ofNames]) {
      const expected = causesOf(await askedReal('POST', definitions, text))
      const found = await embedded(async ask => causesOf(await ask('POST', definitions, text)))
      expect({ text, found }).toEqual({ text, found: expected })
    }
  })

  it('where a definition is refused', async () => {
    for (const [i, schema] of refusedSchemas.entries()) {
      for (const subresources of [undefined, { status: {} }]) {
        const text = definition(`refused${i}`, [version(schema, subresources === undefined ? {} : { subresources })])
        const causesOf = ({ status, body }: TestAnswer): unknown => [
          status,
          ((body.details?.causes ?? []) as { message: string }[])
            // The server prints its own type here, with the names of all its fields.
            .map(cause =>
              JSON.stringify(inOrder({ ...cause, message: cause.message.replace(/\{"ID".*\}: only/, '{}: only') })),
            )
            .sort(),
        ]
        const expected = causesOf(await askedReal('POST', definitions, text))
        const found = await embedded(async ask => causesOf(await ask('POST', definitions, text)))
        const shown = JSON.stringify(found).replace(/\{\\\\\\"(?:(?!: only).)*\}: only/g, '{}: only')
        expect({ schema, found: shown }).toEqual({ schema, found: JSON.stringify(expected) })
      }
    }
  })

  it('through updates, patches and the status', async () => {
    const path = '/apis/x.example.com/v1/changes'
    const one = `${path}/one`
    const merge = 'application/merge-patch+json'
    const json = 'application/json-patch+json'
    await compare('changes', changes, [
      ['POST', path, thing('changes', 'one', { a: 'x', zz: 1, items: [{ k: 'a', v: 1 }] }, ',"status":{"phase":"Q"}')],
      ['PATCH', one, '{"spec":{"n":null}}', merge],
      ['PATCH', one, '{"spec":{"n":-1,"a":"long"}}', merge],
      ['PATCH', one, '{"spec":{"yy":1,"n":3}}', merge],
      ['PATCH', `${one}?fieldValidation=Strict`, '{"spec":{"yy":1,"n":4}}', merge],
      ['PATCH', `${one}?fieldValidation=Ignore`, '{"spec":{"yy":1,"n":4}}', merge],
      ['PATCH', one, '{"spec":{"n":5,"n":6}}', merge],
      ['PATCH', one, '[{"op":"add","path":"/spec/old","value":"x","zz":1}]', json],
      ['PATCH', one, '{"metadata":{"zz":1,"labels":{"a":"b"}}}', merge],
      ['PATCH', `${one}/status`, '{"status":{"phase":"C","more":1}}', merge],
      ['PATCH', `${one}/status`, '{"status":{}}', merge],
      ['PATCH', `${one}/status`, '{"status":{"phase":"A","more":1}}', merge],
      ['PATCH', one, '{"spec":{"items":[{"v":2},{"k":"b"},{"k":"b"}]}}', merge],
      ['PATCH', one, '{"spec":null}', merge],
      ['GET', one],
    ])
  })
})
