import type { BodyForm } from '../scan/shapes.ts'

/** What a request asks of a resource. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'connect'
  | 'other'

/** A request as an API server understands it. */
export interface ApiCall {
  readonly verb: Verb
  /** `pods`, `games.arcade.example.com`; the path if it is of no resource, such as `/version`. */
  readonly resource: string
  readonly subresource: string
  /** Empty: of the whole cluster, or of a resource without namespaces. */
  readonly namespace: string
  /** Empty for a list or watch, and for a new object. */
  readonly name: string
  /** The label selector and the field selector, and `metadata only`: what makes lists and watches of a resource differ. */
  readonly selector: string
  /** Whether it asks for a further page of a list. */
  readonly isFurtherPage: boolean
  /** Whether it is a watch that begins with all objects, in place of a list. */
  readonly isStreamedList: boolean
  /** Whether nothing is stored. */
  readonly isDryRun: boolean
  /** Of a write: the manager that the server will name in `managedFields`. */
  readonly manager: string
  /** Of a patch: `apply`, `merge`, `strategic` or `json`. */
  readonly patch: string
}

/** What of a request says how a server understands it. */
export interface RequestHead {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly accept: string
  readonly contentType: string
  readonly userAgent: string
  readonly isUpgrade: boolean
}

/** Parses a request. */
export function apiCall(head: RequestHead): ApiCall {
  const [pathname = '', ...after] = head.path.split('?')
  const query = new URLSearchParams(after.join('?'))
  const path = pathOf(pathname)
  if (path === undefined) {
    const texts = { subresource: '', namespace: '', name: '', selector: '', manager: '', patch: '' }
    const flags = { isFurtherPage: false, isStreamedList: false, isDryRun: false }
    return { verb: 'other', resource: pathname, ...texts, ...flags }
  }
  const verb = verbOf(head, path, query)
  const { isOldWatch: _, ...of } = path
  return {
    ...of,
    verb,
    selector: verb === 'list' || verb === 'watch' ? selectorOf(query, head.accept) : '',
    isFurtherPage: (query.get('continue') ?? '') !== '',
    isStreamedList: verb === 'watch' && query.get('sendInitialEvents') === 'true',
    isDryRun: (query.get('dryRun') ?? '') !== '',
    manager: query.get('fieldManager') || head.userAgent.split('/')[0]?.slice(0, 128) || '',
    patch: verb === 'patch' ? (patches[head.contentType.split(';')[0]?.trim() ?? ''] ?? 'other') : '',
  }
}

const patches: Readonly<Record<string, string>> = {
  'application/apply-patch+yaml': 'apply',
  'application/apply-patch+cbor': 'apply',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/json-patch+json': 'json',
}

type ResourcePath = Pick<ApiCall, 'resource' | 'subresource' | 'namespace' | 'name'> & { readonly isOldWatch: boolean }

/** `/api/v1/namespaces/NAMESPACE/pods/NAME/log`, `/apis/GROUP/VERSION/…`, and the old `/api/v1/watch/…`. Undefined for all else. */
function pathOf(text: string): ResourcePath | undefined {
  const parts = text.split('/').filter(Boolean).map(decoded)
  const [root, ...after] = parts
  const isCore = root === 'api'
  if (!isCore && root !== 'apis') return undefined
  const group = isCore ? '' : after.shift()
  // The version.
  after.shift()
  const isOldWatch = after[0] === 'watch'
  if (isOldWatch) after.shift()
  // Paths below a namespace are of it, but for the namespace's own two subresources.
  const isWithin = after[0] === 'namespaces' && after.length > 2 && !['status', 'finalize'].includes(after[2] as string)
  const namespace = isWithin ? (after[1] as string) : ''
  const [plural, name = '', ...rest] = isWithin ? after.slice(2) : after
  if (plural === undefined) return undefined
  const resource = group ? `${plural}.${group}` : plural
  return { resource, subresource: rest.join('/'), namespace, name, isOldWatch }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function verbOf({ method, isUpgrade }: RequestHead, path: ResourcePath, query: URLSearchParams): Verb {
  if (isUpgrade) return 'connect'
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (path.isOldWatch || (query.has('watch') && !['0', 'false'].includes(query.get('watch') ?? ''))) return 'watch'
      return path.name === '' ? 'list' : 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return path.name === '' ? 'deletecollection' : 'delete'
    default:
      return 'other'
  }
}

function selectorOf(query: URLSearchParams, accept: string): string {
  return [
    query.get('labelSelector'),
    query.get('fieldSelector'),
    /\bas=PartialObjectMetadata(List)?\b/.test(accept) ? 'metadata only' : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** How the body of a good answer is read. Undefined: its objects are not counted. */
export function answerForm({ verb, subresource }: ApiCall): BodyForm | undefined {
  if (verb === 'watch' || verb === 'list') return verb
  const isOfObject = subresource === '' || subresource === 'status'
  return isOfObject && ['get', 'create', 'update', 'patch', 'delete'].includes(verb) ? 'object' : undefined
}
