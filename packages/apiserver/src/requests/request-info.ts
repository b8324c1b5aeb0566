/** The parsed path and query of a request. */
export interface RequestInfo {
  /** The decoded path, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The resource, if the path has one. */
  readonly target?: ResourceTarget | undefined
}

/** The resource part of a path. A part that is absent in the path is an empty string. */
export interface ResourceTarget {
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
  /** Whether it is the deprecated path of a watch, `/api/v1/watch/…`. */
  readonly watch: boolean
}

const namespaceSubresources = new Set(['status', 'finalize'])

/** The results for the last paths. */
const known = new Map<string, RequestInfo>()
const maxKnown = 256

/** Parses a request's path. Returns `undefined` if its percent-encoding is broken. */
export function parseRequestPath(raw: string): RequestInfo | undefined {
  const found = known.get(raw)
  if (found !== undefined) return found
  const info = parse(raw)
  if (info === undefined || raw.length > 256) return info
  if (known.size === maxKnown) known.clear()
  known.set(raw, info)
  return info
}

function parse(raw: string): RequestInfo | undefined {
  const mark = raw.indexOf('?')
  const query = new URLSearchParams(mark === -1 ? '' : raw.slice(mark + 1))
  let path: string
  try {
    path = decodeURIComponent(mark === -1 ? raw : raw.slice(0, mark))
  } catch {
    return undefined
  }
  return { path, query, target: parseTarget(path) }
}

function parseTarget(path: string): ResourceTarget | undefined {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  let rest: string[]
  let group: string
  let version: string
  if (parts[0] === 'api' && parts.length > 2) {
    group = ''
    version = parts[1] as string
    rest = parts.slice(2)
  } else if (parts[0] === 'apis' && parts.length > 3) {
    group = parts[1] as string
    version = parts[2] as string
    rest = parts.slice(3)
  } else {
    return undefined
  }
  const watch = rest[0] === 'watch' && rest.length > 1
  if (watch) rest = rest.slice(1)
  let namespace = ''
  if (
    rest[0] === 'namespaces' &&
    rest.length > 2 &&
    !(rest.length === 3 && namespaceSubresources.has(rest[2] as string))
  ) {
    namespace = rest[1] as string
    rest = rest.slice(2)
  }
  const [resource = '', name = '', ...more] = rest
  return { group, version, namespace, resource, name, subresource: more.join('/'), watch }
}

/** The verb of a request, as RBAC and the counters name it. */
export function verbOf(method: string, target: ResourceTarget, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (target.watch) return 'watch'
      if (target.subresource !== '' || target.name !== '') return 'get'
      return isTrue(query.get('watch')) ? 'watch' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return target.name === '' ? 'deletecollection' : 'delete'
    default:
      return method.toLowerCase()
  }
}

/** Reads a boolean of a query as Kubernetes does: true if it is present and neither `0` nor `false` in any case. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}
