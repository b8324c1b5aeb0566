import type { JsonObject } from '@wherry/cel/internal'
import { StatusError } from '../status.ts'

/** How an answer is to look. */
export interface Representation {
  readonly as: 'object' | 'metadata' | 'table' | 'discovery-v2'
  readonly pretty: boolean
  readonly gzip: boolean
  /** As YAML instead of JSON. */
  readonly yaml?: boolean
  /** Without `managedFields`. */
  readonly lean?: boolean
}

const encodings = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']

/** What is asked for, as far as it decides how an answer may look. */
export interface Negotiated {
  readonly what: 'object' | 'list' | 'watch' | 'discovery'
  /** What the answer is of; `undefined`: of no resource. */
  readonly type?: { readonly group: string; readonly kind: string; readonly custom: boolean } | undefined
  /** Whether `drop` is understood (KEP-5958); else it is ignored. @default false */
  readonly drops?: boolean | undefined
}

/** What the client takes, from Accept, Accept-Encoding, User-Agent and `pretty`. Throws the server's 406. */
export function negotiate(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
  { what, type, drops = false }: Negotiated,
): Representation {
  const encoding = headers['accept-encoding']
  const gzip = encoding !== undefined && /\bgzip\b/.test(encoding)
  const pretty = isPretty(headers, query)
  const { accept = '' } = headers
  if (accept === '' || accept === '*/*' || accept === 'application/json') return { as: 'object', pretty, gzip }
  const ranges = parseAccept(accept)
  const json = ranges.filter(({ type }) => type === 'application/json' || type === '*/*' || type === 'application/*')
  for (const { params } of json) {
    const as = params.get('as')
    const lean = drops && dropsManagedFields(params)
    if (as === undefined) return { as: 'object', pretty, gzip, lean }
    if (what === 'discovery') {
      if (as === 'APIGroupDiscoveryList' && params.get('v') === 'v2') return { as: 'discovery-v2', pretty, gzip }
      continue
    }
    if (params.get('g') !== 'meta.k8s.io' || params.get('v') !== 'v1') continue
    if (as === 'Table') return { as: 'table', pretty, gzip }
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      if (as.endsWith('List') !== (what === 'list')) {
        if (type?.custom && as.endsWith('List')) throw new StatusError(500, '', 'content is not a list')
        throw notAcceptable(mismatch(as, what, type))
      }
      return { as: 'metadata', pretty, gzip, lean }
    }
  }
  const other = what === 'watch' ? undefined : ranges.find(range => encodings.includes(range.type, 1))
  if (other !== undefined && other.type === encodings[1]) {
    return { as: 'object', pretty, gzip, yaml: true, lean: drops && dropsManagedFields(other.params) }
  }
  if (other !== undefined && !(type?.custom && other.type === encodings[2])) {
    throw StatusError.missing(`answers as ${other.type}`)
  }
  if (what === 'watch' && ranges.some(range => encodings.includes(range.type))) {
    throw notAcceptable(`only the following media types are accepted: ${streams.join(', ')}`)
  }
  if (json.length > 0 || type?.custom) {
    throw notAcceptable(`only the following media types are accepted: ${encodings.join(', ')}`)
  }
  const available = what === 'list' || what === 'watch' ? [...encodings, ...streams] : encodings
  throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {})
}

/** Whether a client wants YAML first: it is refused in YAML, too. */
export function prefersYaml({ accept = '' }: Readonly<Record<string, string>>): boolean {
  return accept.includes('yaml') && parseAccept(accept)[0]?.type === 'application/yaml'
}

function dropsManagedFields(params: ReadonlyMap<string, string>): boolean {
  return params.get('drop')?.split('+').includes('metadata.managedFields') === true
}

function notAcceptable(message: string, details?: JsonObject): StatusError {
  return new StatusError(406, 'NotAcceptable', message, { details })
}

/** Metadata of one were asked for, and there are many, or the other way round. */
function mismatch(as: string, what: Negotiated['what'], type: Negotiated['type']): string {
  const list = what === 'list'
  const suffix = list ? 'List' : ''
  const name = type?.custom
    ? `unstructured.Unstructured${suffix}`
    : `${goPackage(type?.group ?? '')}.${type?.kind}${suffix}`
  return `you requested ${as}, but the requested object is ${list ? 'a list' : 'not a list'} (*${name})`
}

/** The package that the server's internal types of a group are in. */
function goPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] as string)
}

function isPretty(headers: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  const asked = query.get('pretty')
  if (asked !== null) return asked !== '0' && asked !== 'false'
  const agent = headers['user-agent']
  return agent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(agent)
}

function parseAccept(accept: string): { type: string; params: ReadonlyMap<string, string>; q: number }[] {
  const ranges = accept.split(',').map(part => {
    const [type = '', ...rest] = part.split(';').map(piece => piece.trim())
    const params = new Map<string, string>()
    for (const piece of rest) {
      const equals = piece.indexOf('=')
      if (equals > 0) params.set(piece.slice(0, equals), piece.slice(equals + 1))
    }
    return { type, params, q: Number(params.get('q') ?? '1') }
  })
  return ranges.sort((a, b) => b.q - a.q)
}
