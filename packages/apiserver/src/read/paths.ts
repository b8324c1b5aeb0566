import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import type { ServerRequest } from '../exchange.ts'
import { negotiate } from '../requests/representation.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import type { Responder } from '../responder.ts'
import type { Counters } from '../stats.ts'
import { StatusError } from '../status.ts'
import { aggregated, groupList, legacyVersions, oneGroup, resourceList } from './discovery.ts'
import { answerOpenApi } from './openapi.ts'
import { serverVersion } from './server-version.ts'

const protobufType = 'application/vnd.kubernetes.protobuf'
const aggregatedParams = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Answers requests without a resource: discovery, OpenAPI, version, health, metrics. Throws the server's 404. */
export function answerPath(
  { registry, counters, clock }: { readonly registry: Registry; readonly counters: Counters; readonly clock: Clock },
  request: ServerRequest,
  info: RequestInfo,
  responder: Responder,
): void {
  const path = info.path.replace(/(.)\/$/, '$1')
  // A real server neither cleans up a path nor redirects.
  if (info.path.includes('//')) throw StatusError.noSuchPath()
  if (
    /^\/(healthz|livez|readyz)(\/(ping|log|etcd)|(?<=readyz)\/(etcd-readiness|informer-sync|shutdown))?$/.test(path)
  ) {
    const [, check = '', one] = path.split('/')
    if (one === undefined) responder.headers['x-content-type-options'] = 'nosniff'
    const verbose = one === undefined && info.query.has('verbose')
    return responder.text(200, verbose ? `[+]ping ok\n${check} check passed\n` : 'ok')
  }
  if (/^\/openapi(\/|$)/.test(path)) return answerOpenApi(registry, request, info, responder, clock.now())
  const representation = negotiate(request.headers, info.query, {
    what: path === '/api' || path === '/apis' ? 'discovery' : 'object',
    named: path !== '/apis' && !/^\/apis\/[^/]+$/.test(path),
  })
  responder.present(representation)
  if (path === '/metrics') {
    if (request.method === 'DELETE') throw StatusError.missing('a reset of the metrics')
    return responder.text(200, metricsOf(counters), 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores')
  }
  // Only these paths check the method. On a real server, all others have handlers that accept any method.
  const refusesMethod = /^\/(version|api|api\/[^/]+|apis\/[^/]+\/[^/]+)$/.test(path) && request.method !== 'GET'
  if (path === '/version' && refusesMethod) throw StatusError.methodNotAllowed()
  if (path === '/version') return responder.text(200, JSON.stringify(serverVersion, null, 2), 'application/json')
  const v2 = representation.as === 'discovery-v2'
  const parts = path.split('/').slice(1)
  if (parts[0] !== 'api' && parts[0] !== 'apis') throw StatusError.noSuchPath()
  let body: ReturnType<typeof resourceList>
  if (path === '/api') body = v2 ? aggregated(registry, true) : legacyVersions(request.headers.host ?? '')
  else if (path === '/apis') body = v2 ? aggregated(registry, false) : groupList(registry)
  else if (parts[0] === 'api' && parts.length === 2) body = resourceList(registry, '', parts[1] as string)
  else if (parts[0] === 'apis' && parts.length === 2) body = oneGroup(registry, parts[1] as string)
  else if (parts[0] === 'apis' && parts.length === 3)
    body = resourceList(registry, parts[1] as string, parts[2] as string)
  if (body === undefined) throw registry.missing(parts[0] === 'api' ? '' : (parts[1] ?? ''))
  if (refusesMethod) throw StatusError.methodNotAllowed()
  if (v2 && (path === '/api' || path === '/apis')) {
    responder.contentType = representation.protobuf
      ? `${protobufType}${aggregatedParams}`
      : `application/json${aggregatedParams}`
    Object.assign(responder.headers, { 'cache-control': 'public', vary: 'Accept' })
  }
  responder.json(200, body)
}

/** The counted requests, in Prometheus' format. */
function metricsOf(counters: Counters): string {
  const { byVerb } = counters.read({ open: 0, total: 0 })
  const lines = Object.entries(byVerb).flatMap(([verb, resources]) =>
    Object.entries(resources).map(
      ([resource, { requests }]) => `apiserver_request_total{resource="${resource}",verb="${verb}"} ${requests}\n`,
    ),
  )
  return `# HELP apiserver_request_total Requests by verb and resource.\n# TYPE apiserver_request_total counter\n${lines.join('')}`
}
