import { type Json, type JsonObject, parseJson } from '@wherry/cel/internal'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { encodeList, encodeMessage, encodeObject, messageNameOf } from '../../packages/apiserver/src/protobuf/encode.ts'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { eventually } from '../../packages/testing/src/real/testkit/client.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { definition, objects } from './protobuf-objects.ts'
import { type RawAnswer, Target } from './target.ts'

const [json, yaml, protobuf] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const partial = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const table = 'as=Table;g=meta.k8s.io;v=v1'
const discovery = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

const accepts: readonly string[] = [
  protobuf,
  `${protobuf},${json}`,
  `${json},${protobuf}`,
  `${protobuf};q=0.1,${json}`,
  `${protobuf};q=0.5,*/*;q=0.9`,
  `*/*,${protobuf}`,
  `application/*,${protobuf}`,
  'application/*',
  'text/html',
  `text/html,${protobuf}`,
  `${protobuf};${partial}`,
  `${protobuf};${partial},${json}`,
  `${protobuf};${partial.replace('a;', 'aList;')}`,
  `${protobuf};${table}`,
  `${protobuf};${table},${json}`,
  `${protobuf};${table},${json};${table}`,
  `${json};${table},${protobuf}`,
  `${yaml};${table}`,
  `${yaml};${partial}`,
  `${protobuf};stream=watch`,
  `${protobuf};stream=no`,
  `${protobuf};${discovery}`,
  `${protobuf};${discovery},${json}`,
  `${protobuf};as=Unknown`,
  `${protobuf};g=meta.k8s.io;v=v1`,
  `${json};pretty=1`,
]

const maps = '/api/v1/namespaces/default/configmaps'
const games = '/apis/arcade.example.com/v1/namespaces/default/games'
const paths = ['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1/none', maps, `${maps}/a`, games, `${games}/a`]
const refused = [`${maps}/none`, `${games}/none`]

const available = await realApiServerAvailable('the comparison of answers in protobuf')

describe.runIf(available)('answers in protobuf', () => {
  let server: EmbeddedApiServer
  let real: Target
  let embedded: Target

  beforeAll(async () => {
    server = await startApiServer({ authorization: 'RBAC' })
    embedded = new Target('embedded', server)
    real = new Target('real', await sharedRealServer())
    for (const target of [real, embedded]) {
      for (const object of [definition, ...objects]) await create(target, object)
      const game = { apiVersion: 'arcade.example.com/v1', kind: 'Game', metadata: { name: 'a' } }
      await eventually(
        () => send(target, games, game),
        ({ status }) => status === 201,
      )
    }
    real.close()
    embedded.close()
  }, 120_000)

  // A test leaves no connection open.
  afterEach(() => {
    for (const target of [real, embedded]) target.close()
  })

  afterAll(() => server.close())

  it.for([...paths, ...refused])('F4: the form of an answer of %s is negotiated as a real server does', async path => {
    // A form that the object would not have is refused before it is looked for.
    const asked = refused.includes(path) ? accepts.filter(accept => !accept.includes('dataList')) : accepts
    for (const accept of asked) {
      const [left, right] = await Promise.all([real, embedded].map(one => one.ask('GET', path, { accept })))
      expect({ accept, ...shown(right as RawAnswer) }).toEqual({ accept, ...shown(left as RawAnswer) })
    }
  })

  it('F4: each object, list, refusal and discovery document of a real server is the bytes of the same JSON', async () => {
    const lists = await listPaths(real)
    expect(lists.length).toBeGreaterThan(50)
    const single = objects.map(object => pathOf(object, true))
    const documents = ['/api', '/apis', '/apis/apps', '/apis/apps/v1', `${maps}/none`]
    for (const path of [...lists, ...single, ...documents]) {
      const [left, right] = await eventually(
        () => bothForms(real, path),
        ([one, other]) => one === other,
        5_000,
      )
      expect({ path, bytes: left }).toEqual({ path, bytes: right })
    }
  })

  it('F4: what a client that generates protobuf reads of the embedded server is what it reads in JSON', async () => {
    for (const path of [...objects.map(object => pathOf(object, true)), maps, '/api', '/apis', '/apis/batch/v1']) {
      const [left, right] = await bothForms(embedded, path)
      expect({ path, bytes: left }).toEqual({ path, bytes: right })
    }
  })
})

/** What of an answer does not depend on the server's objects. */
function shown({ status, headers, text, bytes }: RawAnswer): object {
  const type = headers['content-type']
  const ending = String(type).startsWith(json) ? text.slice(-1) : ''
  return { status, type, ending, refusal: status < 400 ? '' : bytes.toString('latin1') }
}

/** An answer in protobuf, and the bytes of its JSON. A real server may change its own objects between the two. */
async function bothForms(target: Target, path: string): Promise<readonly [string, string]> {
  const { text } = await target.ask('GET', path, { accept: json })
  const { bytes } = await target.ask('GET', path, { accept: protobuf })
  return [bytes.toString('latin1'), encoded(parseJson(text) as JsonObject).toString('latin1')]
}

function encoded(object: JsonObject): Buffer {
  const { apiVersion, kind, items, metadata } = object as Record<string, string> & {
    items?: Json[]
    metadata: JsonObject
  }
  if (items === undefined) return encodeObject(object)
  const message = messageNameOf(apiVersion ?? '', (kind ?? '').replace(/List$/, ''))
  const parts = items.map(item => encodeMessage(message, item))
  return encodeList({ apiVersion: apiVersion ?? '', kind: kind ?? '', metadata, items: parts })
}

/** The path of each list of the preferred versions, but for custom resources, and what has no order. */
async function listPaths(target: Target): Promise<string[]> {
  const read = async (path: string): Promise<JsonObject> =>
    parseJson((await target.ask('GET', path, { accept: json })).text) as JsonObject
  const { groups } = (await read('/apis')) as unknown as { groups: { preferredVersion: { groupVersion: string } }[] }
  const versions = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const found: string[] = []
  for (const version of versions.filter(one => !one.includes('example.com'))) {
    const { resources } = (await read(version)) as unknown as { resources: { name: string; verbs: string[] }[] }
    const listed = resources.filter(
      ({ name, verbs }) => !name.includes('/') && verbs.includes('list') && name !== 'componentstatuses',
    )
    found.push(...listed.map(({ name }) => `${version}/${name}`))
  }
  return found
}

async function create(target: Target, object: JsonObject): Promise<void> {
  const { status, text } = await send(target, pathOf(object, false), object)
  if (status !== 201) throw new Error(`${target.name} answers ${status}: ${text}`)
}

function send(target: Target, path: string, object: object): Promise<RawAnswer> {
  return target.ask('POST', path, { 'content-type': json }, JSON.stringify(object))
}

function pathOf({ apiVersion, kind, metadata }: JsonObject, named: boolean): string {
  const version = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  const plural = `${String(kind).toLowerCase()}${kind === 'NetworkPolicy' ? '' : 's'}`.replace(/policy$/, 'policies')
  const namespace = kind === 'CustomResourceDefinition' ? '' : '/namespaces/default'
  return `${version}${namespace}/${plural}${named ? `/${(metadata as JsonObject).name}` : ''}`
}
