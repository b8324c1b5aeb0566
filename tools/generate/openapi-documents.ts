import { setTimeout as after } from 'node:timers/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Cluster } from './cluster.ts'
import { banner, type Generated } from './generated-file.ts'

const FILE = 'packages/apiserver/src/generated/openapi.ts'
const MARK = banner('tools/generate/openapi-documents.ts')

type Values = Record<string, unknown>

interface Document extends Values {
  readonly paths: Values
  readonly components?: { readonly schemas?: Values } & Values
}

/** Documents of endpoints that the embedded server does not have. */
const left = ['.well-known/openid-configuration', 'openid/v1/jwks']

/** Names that nothing else in a document contains: the embedded server puts those of a definition in their place. */
const template = { group: 'templategroup.example.com', version: 'v7' }
const scopes = { Namespaced: 'Templatething', Cluster: 'Templateplace' }

/**
 * The server's OpenAPI v3 documents, compressed: what describes the built-in resources, and, of definitions, all that does not depend on
 * their schemas. Creates definitions: nothing may look at what the server serves afterwards.
 */
export async function openapiDocuments(cluster: Cluster): Promise<Generated> {
  const schemas: Values = {}
  const documents: Values = {}
  for (const [path, url] of Object.entries(await index(cluster))) {
    if (left.includes(path)) continue
    const { components = {}, ...rest } = (await cluster.get(url)) as Document
    const { schemas: own, ...others } = components
    documents[path] = {
      hash: /hash=(\w+)/.exec(url)?.[1],
      rest,
      others,
      ...(own !== undefined && { names: Object.keys(own), own: differing(own, schemas) }),
    }
  }
  const text = JSON.stringify({ schemas, documents, definitions: await definitions(cluster, schemas) })
  const size = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  const compressed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, ...size } })
  const module = `${MARK}
/** JSON, compressed with Brotli, in base64: \`Documents\` of \`src/openapi\`. */
export const compressedDocuments =
  '${compressed.toString('base64')}'
`
  return { files: new Map([[FILE, module]]), folder: 'packages/apiserver/src/generated', mark: MARK }
}

/** Adds schemas to those that documents share, and gives the ones that are otherwise in `schemas` already. */
function differing(own: Values, schemas: Values): Values {
  const other: Values = {}
  for (const [name, schema] of Object.entries(own)) {
    schemas[name] ??= schema
    if (JSON.stringify(schemas[name]) !== JSON.stringify(schema)) other[name] = schema
  }
  return other
}

async function index(cluster: Cluster): Promise<Record<string, string>> {
  // The server says that its index is text.
  const text = (await cluster.get('/openapi/v3')) as string
  const { paths } = JSON.parse(text) as { paths: Record<string, { serverRelativeURL: string }> }
  return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]))
}

/** What a document of definitions has besides their own schemas, and the paths of each scope. */
async function definitions(cluster: Cluster, schemas: Values): Promise<Values> {
  for (const [scope, kind] of Object.entries(scopes)) {
    const plural = `${kind.toLowerCase()}s`
    const { status, body } = await cluster.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${template.group}` },
      spec: {
        group: template.group,
        scope,
        names: { plural, singular: kind.toLowerCase(), kind },
        versions: [
          {
            name: template.version,
            served: true,
            storage: true,
            subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } },
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    })
    if (status !== 201) throw new Error(`the definition of ${kind} was refused: ${JSON.stringify(body)}`)
  }
  for (let i = 0; i < 600; i++) {
    // Without its hash: the document may change before the next request, and a server redirects a request with an old hash.
    const [url] = (await index(cluster))[`apis/${template.group}/${template.version}`]?.split('?') ?? []
    const { components, paths, ...rest } = url === undefined ? { paths: {} } : ((await cluster.get(url)) as Document)
    const own = { ...components?.schemas }
    const kinds = Object.values(scopes)
    if (kinds.every(kind => Object.keys(own).some(name => name.endsWith(`.${kind}`)))) {
      const lists: Values = {}
      for (const [scope, kind] of Object.entries(scopes)) {
        const name = Object.keys(own).find(one => one.endsWith(`.${kind}`)) as string
        lists[scope] = { kind, paths: pathsOf(paths, kind), object: own[name], list: own[`${name}List`] }
        delete own[name]
        delete own[`${name}List`]
      }
      return { ...template, rest, scopes: lists, names: Object.keys(own), own: differing(own, schemas) }
    }
    await after(100)
  }
  throw new Error('the server does not publish the definitions')
}

function pathsOf(paths: Values, kind: string): Values {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => path.includes(`/${kind.toLowerCase()}s`)))
}
