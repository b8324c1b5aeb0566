import { type AskedRight, parseRequestPath, verbOf } from '@wherry/apiserver/internal/requests'
import { type RightsHead, rightsOf } from '../rights/asked-rights.ts'
import type { BodyForm } from '../scan/shapes.ts'

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const

/** The verb of a request, as an API server names it. */
export type Verb = (typeof verbs)[number] | 'connect' | 'other'

const isVerb = (text: string): text is (typeof verbs)[number] => (verbs as readonly string[]).includes(text)

/** A request, parsed as an API server parses it. */
export interface ApiCall {
  readonly verb: Verb
  /** `pods`, `games.arcade.example.com`; or the path if the request is for no resource, such as `/version`. */
  readonly resource: string
  readonly subresource: string
  /** The namespace. Empty for the whole cluster, and for a resource without namespaces. */
  readonly namespace: string
  /** The name of the object. Empty for a list or watch, and for a new object. */
  readonly name: string
  /** The label selector, the field selector and `metadata only`, by which lists and watches of a resource differ. */
  readonly selector: string
  /** Whether the request is for a further page of a list. */
  readonly isFurtherPage: boolean
  /** Whether the request is a watch that begins with all objects, in place of a list. */
  readonly isStreamedList: boolean
  /** Whether the server stores nothing. */
  readonly isDryRun: boolean
  /** The field manager of a write, which the server will name in `managedFields`. */
  readonly manager: string
  /** The type of a patch: `apply`, `merge`, `strategic` or `json`. */
  readonly patch: string
  /** The rights that the program needs for the request. Empty for a request with another token. */
  readonly rights: readonly AskedRight[]
}

/** The parts of a request that decide how a server parses it. */
export interface RequestHead {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly accept: string
  readonly contentType: string
  readonly userAgent: string
  readonly isUpgrade: boolean
  /** Whether the program sends the request with the token of the proxy. */
  readonly isOwn: boolean
  /** The `Impersonate-*` headers, by their names in lower case. */
  readonly impersonation: RightsHead['impersonation']
}

/** Parses a request, as the embedded server does. */
export function apiCall(head: RequestHead): ApiCall {
  const { method, path, accept, contentType, userAgent, isUpgrade, isOwn } = head
  const rights = isOwn ? rightsOf(head) : []
  const { target, query } = parseRequestPath(path) ?? {}
  if (target === undefined || query === undefined) {
    const texts = { subresource: '', namespace: '', name: '', selector: '', manager: '', patch: '' }
    const flags = { isFurtherPage: false, isStreamedList: false, isDryRun: false }
    return { verb: 'other', resource: path.split('?')[0] ?? '', ...texts, ...flags, rights }
  }
  const { resource, group, subresource, namespace, name } = target
  const asked = verbOf(method === 'HEAD' ? 'GET' : method, target, query)
  const verb = isUpgrade ? 'connect' : isVerb(asked) ? asked : 'other'
  return {
    ...{ verb, subresource, namespace, name, rights },
    resource: group === '' ? resource : `${resource}.${group}`,
    selector: verb === 'list' || verb === 'watch' ? selectorOf(query, accept) : '',
    isFurtherPage: (query.get('continue') ?? '') !== '',
    isStreamedList: verb === 'watch' && query.get('sendInitialEvents') === 'true',
    isDryRun: (query.get('dryRun') ?? '') !== '',
    manager: query.get('fieldManager') || userAgent.split('/')[0]?.slice(0, 128) || '',
    patch: verb === 'patch' ? (patches.get(contentType.split(';')[0]?.trim() ?? '') ?? 'other') : '',
  }
}

const patches: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'application/apply-patch+yaml': 'apply',
    'application/apply-patch+cbor': 'apply',
    'application/merge-patch+json': 'merge',
    'application/strategic-merge-patch+json': 'strategic',
    'application/json-patch+json': 'json',
  }),
)

function selectorOf(query: URLSearchParams, accept: string): string {
  return [
    query.get('labelSelector'),
    query.get('fieldSelector'),
    /\bas=PartialObjectMetadata(List)?\b/.test(accept) ? 'metadata only' : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** The form in which the body of a successful answer is read. Undefined: the objects of the answer are not counted. */
export function answerForm({ verb, subresource }: ApiCall): BodyForm | undefined {
  if (verb === 'watch' || verb === 'list') return verb
  const isOfObject = subresource === '' || subresource === 'status'
  return isOfObject && ['get', 'create', 'update', 'patch', 'delete'].includes(verb) ? 'object' : undefined
}
