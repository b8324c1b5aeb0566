import type { Declaration } from '../declarations.ts'
import { goQuote } from '../structural/go-text.ts'
import { CelError, Custom, Entries, List } from '../values.ts'

/** A URL with the parts that Go reads. JavaScript's `URL` would change them: it adds a path and encodes characters. */
class Url extends Custom {
  readonly type = 'kubernetes.URL'
  readonly text: string
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string

  constructor(text: string) {
    super()
    this.text = text
    const [, scheme = '', authority = '', path = '', query = ''] =
      /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? []
    this.scheme = scheme.toLowerCase()
    this.host = authority.slice(authority.lastIndexOf('@') + 1)
    this.path = path
    this.query = query
  }

  equals(other: Url): boolean {
    return this.text === other.text
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? ''
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  }
}

/** The message of Go's `ParseRequestURI` about a text that is no URL; `undefined` if the text is a URL. */
export function urlProblem(text: string): string | undefined {
  const say = (why: string): string => `parse ${goQuote(text)}: ${why}`
  if ([...text].some(char => char < ' ' || char === '\x7f')) return say('net/url: invalid control character in URL')
  if (text === '') return say('empty url')
  if (text === '*') return undefined
  const colon = /^([^:/?#]*):/.exec(text)
  if (colon !== null) {
    if (colon[1] === '') return say('missing protocol scheme')
    if (!/^[A-Za-z][A-Za-z0-9+.-]*$/.test(colon[1] as string)) {
      return /^[A-Za-z]*[^A-Za-z0-9+.-]|^[0-9+.-]/.test(colon[1] as string) && /^[0-9+.-]/.test(colon[1] as string)
        ? say('first path segment in URL cannot contain colon')
        : say('invalid URI for request')
    }
  }
  const rest = colon === null ? text : text.slice(colon[0].length)
  if (!rest.startsWith('/')) return colon === null ? say('invalid URI for request') : undefined
  const authority =
    rest.startsWith('//') && (colon !== null || !rest.startsWith('///')) ? (/^\/\/([^/?#]*)/.exec(rest)?.[1] ?? '') : ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const space = /[ "<>\\^`{|}]/.exec(host.replace(/^\[.*\]/, ''))
  if (space !== null) return say(`invalid character ${goQuote(space[0])} in host name`)
  const port = /:([^:\]]*)$/.exec(host)
  if (port !== null && !/^\d*$/.test(port[1] as string)) return say(`invalid port ${goQuote(`:${port[1]}`)} after host`)
  if (host.startsWith('[') && !host.includes(']')) return say("missing ']' in host")
  const encoded = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(rest.split('?')[0] as string)
  return encoded === null ? undefined : say(`invalid URL escape ${goQuote(encoded[0])}`)
}

function parse(text: string): Url {
  const problem = urlProblem(text)
  if (problem !== undefined) throw new CelError(`URL parse error during conversion from string: ${problem}`)
  return new Url(text)
}

function escapedPath({ path }: Url): string {
  return path === '*'
    ? path
    : path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]/gu, char => encodeURIComponent(char.toWellFormed()))
}

function queryOf({ query }: Url): Entries {
  const values = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue
    const [key = '', value = ''] = splitOnce(part).map(decode)
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return new Entries([...values].map(([key, list]) => [key, new List(list)]))
}

function splitOnce(part: string): string[] {
  const at = part.indexOf('=')
  return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const type = 'kubernetes.URL'

/** The function `url`. */
export const urls: readonly Declaration[] = [
  [`url(string): ${type}`, parse],
  ['isURL(string): bool', (text: string) => urlProblem(text) === undefined],
  [`${type}->getScheme(): string`, (url: Url) => url.scheme],
  [`${type}->getHost(): string`, (url: Url) => url.host],
  [`${type}->getHostname(): string`, (url: Url) => url.hostname],
  [`${type}->getPort(): string`, (url: Url) => url.port],
  [`${type}->getEscapedPath(): string`, escapedPath],
  [`${type}->getQuery(): map<string, list<string>>`, queryOf],
]
