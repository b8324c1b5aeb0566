import { StatusError } from '../status.ts'

/** How an answer is to look. */
export interface Representation {
  readonly as: 'object' | 'metadata' | 'table' | 'discovery-v2'
  readonly pretty: boolean
  readonly gzip: boolean
}

const supported = 'application/json, application/json;stream=watch'

/** What the client takes, from Accept, Accept-Encoding, User-Agent and `pretty`. Throws the server's 406. */
export function negotiate(
  headers: Readonly<Record<string, string>>,
  query: URLSearchParams,
  what: 'object' | 'list' | 'watch' | 'discovery',
): Representation {
  const gzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  const pretty = isPretty(headers, query)
  const accept = headers.accept ?? '*/*'
  for (const { type, params } of parseAccept(accept)) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue
    const as = params.get('as')
    if (as === undefined) return { as: 'object', pretty, gzip }
    if (what === 'discovery') {
      if (as === 'APIGroupDiscoveryList' && params.get('v') === 'v2') return { as: 'discovery-v2', pretty, gzip }
      continue
    }
    if (params.get('g') !== 'meta.k8s.io' || params.get('v') !== 'v1') continue
    if (as === 'Table') return { as: 'table', pretty, gzip }
    if (as === (what === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata')) {
      return { as: 'metadata', pretty, gzip }
    }
  }
  throw new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${supported}`)
}

function isPretty(headers: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  const asked = query.get('pretty')
  if (asked !== null) return asked !== '0' && asked !== 'false'
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '')
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
