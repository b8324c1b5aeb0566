import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Registry } from '../definitions/registry.ts'
import type { ServerRequest } from '../exchange.ts'
import type * as OpenApiModule from '../openapi/index.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import type { Responder } from '../responder.ts'
import { StatusError } from '../status.ts'

const published = new WeakMap<Registry, OpenApiModule.OpenApi>()

/** The documents of a server. They are loaded synchronously at the first request for them, because most servers never need them. */
function openApiOf(registry: Registry): OpenApiModule.OpenApi {
  let openApi = published.get(registry)
  if (openApi === undefined) {
    const { OpenApi } = createRequire(import.meta.url)(entry()) as typeof OpenApiModule
    openApi = new OpenApi()
    published.set(registry, openApi)
  }
  return openApi
}

/** The path of the documents' module: next to this package's source, or a file of its own in the built package. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../openapi/index.ts' : './openapi/index.js', here))
}

/** The content type of a document of OpenAPI v2 in protobuf. */
const swaggerType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const yearMs = 365 * 24 * 3_600_000

/** Answers `/openapi/v2`, `/openapi/v3` and the documents below it. Throws the server's 404. */
export function answerOpenApi(
  registry: Registry,
  { headers }: Pick<ServerRequest, 'headers'>,
  { path, query }: RequestInfo,
  responder: Responder,
  now: number,
): void {
  if (path === '/openapi/v2') return answerSwagger(openApiOf(registry).swagger(definedIn(registry)), headers, responder)
  if (path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) throw StatusError.noSuchPath()
  const openApi = openApiOf(registry)
  const defined = definedIn(registry)
  if (path === '/openapi/v3') {
    const paths = Object.fromEntries(
      [...openApi.index(defined)].map(([one, hash]) => [one, { serverRelativeURL: addressOf(one, hash) }]),
    )
    return responder.text(200, JSON.stringify({ paths }))
  }
  const name = path.slice('/openapi/v3/'.length)
  const document = openApi.document(name, defined)
  if (document === undefined) return responder.empty(404)
  responder.headers.vary = 'Accept'
  const { accept = '' } = headers
  if (accept !== '' && !/application\/(json|\*)|\*\/\*/.test(accept)) return responder.empty(406)
  responder.headers.etag = `"${document.hash}"`
  const asked = query.get('hash')
  if (asked !== null && asked !== document.hash) {
    responder.headers.location = addressOf(name, document.hash)
    responder.headers['content-type'] = 'application/json'
    return responder.empty(301)
  }
  if (asked !== null) {
    responder.headers['cache-control'] = 'public, immutable'
    responder.headers.expires = new Date(now + yearMs).toUTCString()
  }
  if (headers['if-none-match'] === `"${document.hash}"`) return responder.empty(304)
  responder.text(200, document.text, 'application/json')
}

const protobufTypes = ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', swaggerType]

/** Answers with the single document of OpenAPI v2, in JSON or, as Go's clients request it, in protobuf. */
function answerSwagger(
  { text, bytes, hash }: OpenApiModule.SwaggerDocument,
  { accept = '*/*', 'if-none-match': known }: ServerRequest['headers'],
  responder: Responder,
): void {
  responder.headers.vary = 'Accept'
  const encoded = protobufTypes.some(type => accept.includes(type))
  if (!encoded && !/application\/(json|\*)|\*\/\*/.test(accept)) return responder.empty(406)
  responder.headers.etag = `"${hash}"`
  if (known === `"${hash}"`) return responder.empty(304)
  if (encoded) responder.bytes(200, bytes(), swaggerType)
  else responder.text(200, text, 'application/json')
}

function addressOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`
}

function definedIn(registry: Registry): OpenApiModule.DefinedResource[] {
  const found: OpenApiModule.DefinedResource[] = []
  for (const { group, version, kind, listKind, plural, namespaced, hasStatus, scale, schema } of registry.custom()) {
    const names = { group, version, kind, listKind, plural, namespaced }
    found.push({ ...names, hasStatus, hasScale: scale !== undefined, schema: schema?.raw })
  }
  return found
}
