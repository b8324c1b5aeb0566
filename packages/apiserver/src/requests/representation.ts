import type { JsonObject } from '@wherry/cel/internal'
import { StatusError } from '../status.ts'

/** The form of an answer. */
export interface Representation {
  readonly as: 'object' | 'metadata' | 'table' | 'discovery-v2'
  readonly pretty: boolean
  readonly gzip: boolean
  /** Whether the answer is YAML instead of JSON. */
  readonly yaml?: boolean
  /** Whether the answer is Kubernetes' protobuf instead of JSON. */
  readonly protobuf?: boolean
  /** Whether the answer has no `managedFields`. */
  readonly lean?: boolean
}

const json = 'application/json'
const yaml = 'application/yaml'
const protobuf = 'application/vnd.kubernetes.protobuf'
const encodings = [json, yaml, protobuf] as const
type Encoding = (typeof encodings)[number]
const streams = [`${json};stream=watch`, `${protobuf};stream=watch`]

/** An alternative of an Accept header. */
interface Range {
  readonly type: string
  readonly params: ReadonlyMap<string, string>
  readonly q: number
}

/** The parts of a request that restrict the form of its answer. */
export interface Negotiated {
  readonly what: 'object' | 'list' | 'watch' | 'discovery'
  /** The resource of the answer; `undefined` if it is of no resource. */
  readonly type?: { readonly group: string; readonly kind: string; readonly custom: boolean } | undefined
  /** Whether `drop` is understood (KEP-5958). Otherwise it is ignored. @default false */
  readonly drops?: boolean | undefined
  /** Whether at least one alternative must name an encoding or any type. @default true */
  readonly named?: boolean | undefined
}

/** The representation that the client accepts, by Accept, Accept-Encoding, User-Agent and `pretty`. Throws the server's 406. */
export function negotiate(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
  { what, type, drops = false, named = true }: Negotiated,
): Representation {
  const encoding = headers['accept-encoding']
  const gzip = encoding !== undefined && /\bgzip\b/.test(encoding)
  const pretty = isPretty(headers, query)
  const { accept = '' } = headers
  if (accept === '' || accept === '*/*' || accept === 'application/json') return { as: 'object', pretty, gzip }
  const ranges = parseAccept(accept)
  if (named && type?.custom !== true && !ranges.some(({ type }) => type === '*/*' || isEncoding(type))) {
    const available = what === 'list' || what === 'watch' ? [...encodings, ...streams] : encodings
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {})
  }
  const negotiated = { what, type, drops }
  for (const range of ranges) {
    for (const encoding of encodings) {
      const as = matches(range, encoding) ? formOf(range.params, encoding, negotiated) : undefined
      if (as === undefined) continue
      if (what === 'watch' && encoding === yaml) throw notAcceptable(onlyAccepted(streams))
      if (as === 'metadata') checkMetadata(range.params.get('as') ?? '', negotiated)
      return {
        as,
        pretty: pretty || range.params.get('pretty') === '1',
        gzip,
        ...encodedAs(encoding),
        ...(drops && as !== 'table' && { lean: dropsManagedFields(range.params) }),
      }
    }
  }
  throw notAcceptable(onlyAccepted(encodings))
}

/** The representation of a refusal. Alternatives for another form than the object's own are skipped. If none is left, it is indented JSON. */
export function negotiateRefusal(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Pick<Representation, 'pretty' | 'gzip' | 'yaml' | 'protobuf'> {
  const gzip = false
  const pretty = isPretty(headers, query)
  const { accept = '' } = headers
  if (accept === '' || accept === '*/*' || accept === json) return { pretty, gzip }
  for (const range of parseAccept(accept)) {
    for (const encoding of encodings) {
      if (!matches(range, encoding) || formOf(range.params, encoding, { what: 'object' }) === undefined) continue
      return { ...encodedAs(encoding), pretty: pretty || range.params.get('pretty') === '1', gzip }
    }
  }
  return { pretty: true, gzip }
}

function encodedAs(encoding: Encoding): Pick<Representation, 'yaml' | 'protobuf'> {
  return { ...(encoding === yaml && { yaml: true }), ...(encoding === protobuf && { protobuf: true }) }
}

function matches({ type }: Range, encoding: Encoding): boolean {
  return type === encoding || type === '*/*' || type === 'application/*'
}

function isEncoding(type: string): boolean {
  return (encodings as readonly string[]).includes(type)
}

/** The form that an alternative requests, if the endpoint has it in this encoding. */
function formOf(
  params: ReadonlyMap<string, string>,
  encoding: Encoding,
  { what, type }: Negotiated,
): Representation['as'] | undefined {
  const stream = params.get('stream') ?? ''
  if (stream !== '' && (stream !== 'watch' || encoding === yaml)) return undefined
  if (type === undefined && (params.get('sv') ?? '') !== '') return undefined
  const as = params.get('as')
  if (as === undefined && !params.has('g') && !params.has('v')) {
    return type?.custom && encoding === protobuf ? undefined : 'object'
  }
  if (what === 'discovery') {
    return as === 'APIGroupDiscoveryList' && params.get('v') === 'v2' ? 'discovery-v2' : undefined
  }
  if (params.get('g') !== 'meta.k8s.io' || params.get('v') !== 'v1' || type === undefined) return undefined
  if (as === 'Table') return encoding === protobuf ? undefined : 'table'
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined
}

function checkMetadata(as: string, { what, type }: Negotiated): void {
  // A watch sends one object at a time, whichever form it requests.
  if (what === 'watch' || as.endsWith('List') === (what === 'list')) return
  if (type?.custom && as.endsWith('List')) throw new StatusError(500, '', 'content is not a list')
  throw notAcceptable(mismatch(as, what, type))
}

function onlyAccepted(types: readonly string[]): string {
  return `only the following media types are accepted: ${types.join(', ')}`
}

function dropsManagedFields(params: ReadonlyMap<string, string>): boolean {
  return params.get('drop')?.split('+').includes('metadata.managedFields') === true
}

function notAcceptable(message: string, details?: JsonObject): StatusError {
  return new StatusError(406, 'NotAcceptable', message, { details })
}

/** The message for a request of a list's metadata if the answer is an object, or the other way round. */
function mismatch(as: string, what: Negotiated['what'], type: Negotiated['type']): string {
  const list = what === 'list'
  const suffix = list ? 'List' : ''
  const name = type?.custom
    ? `unstructured.Unstructured${suffix}`
    : `${goPackage(type?.group ?? '')}.${type?.kind}${suffix}`
  return `you requested ${as}, but the requested object is ${list ? 'a list' : 'not a list'} (*${name})`
}

/** The package of the server's internal types of a group. */
function goPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] as string)
}

function isPretty(headers: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  const asked = query.get('pretty') ?? ''
  if (asked !== '') return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(asked)
  const agent = headers['user-agent']
  return agent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(agent)
}

function parseAccept(accept: string): Range[] {
  const ranges = accept.split(',').map(part => {
    const [type = '', ...rest] = part.split(';').map(piece => piece.trim())
    const params = new Map<string, string>()
    for (const piece of rest) {
      const equals = piece.indexOf('=')
      if (equals > 0) params.set(piece.slice(0, equals), piece.slice(equals + 1))
    }
    return { type, params, q: Number(params.get('q') ?? '1') }
  })
  return ranges.sort((a, b) => b.q - a.q || Number(a.type.includes('*')) - Number(b.type.includes('*')))
}
