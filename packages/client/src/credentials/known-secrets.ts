import { patternOf, redact } from '../errors/redact.ts'
import type { Credentials } from './credentials.ts'
import { loginOf } from './proxy-url.ts'

/** The number of remembered credentials of one kind. A pending answer can repeat a credential that was rotated meanwhile. */
const mostKnown = 4

/** The credentials of a client, which errors must not contain, for example if a proxy's answer repeats the request's headers. */
export class KnownSecrets {
  readonly #headers: string[] = []
  readonly #keys: string[] = []
  readonly #proxies: () => readonly (string | undefined)[]
  #of = ''
  #pattern: RegExp | undefined

  /** @param proxies the URLs of proxies, which can contain a login; asked for when a text is redacted */
  constructor(proxies: () => readonly (string | undefined)[] = () => []) {
    this.#proxies = proxies
  }

  /** Wraps credentials, and remembers their values. */
  noting(credentials: Credentials): Credentials {
    let last: object | undefined
    return {
      headers: () =>
        seen(credentials.headers(), headers => {
          // Most requests get the same object.
          if (headers !== last) for (const value of Object.values(headers)) note(this.#headers, value)
          last = headers
        }),
      tls: () => seen(credentials.tls(), ({ key }) => note(this.#keys, key)),
      digest: () => credentials.digest(),
      refresh: () => credentials.refresh(),
      close: () => credentials.close?.(),
    }
  }

  /** Hides these credentials in a text that a server sent; see `redact`. */
  readonly redact = (text: string): string => redact(text, this.#known())

  #known(): RegExp | undefined {
    const secrets = [
      ...this.#headers.flatMap(secretsOfHeader),
      ...this.#proxies().flatMap(secretsOfProxy),
      ...this.#keys.flatMap(secretsOfKey),
    ]
    const of = secrets.join('\n')
    if (of !== this.#of) {
      this.#of = of
      this.#pattern = patternOf(secrets)
    }
    return this.#pattern
  }
}

/** The proxies that the environment names. */
export function proxiesOfEnvironment(): readonly (string | undefined)[] {
  const names = ['https_proxy', 'http_proxy', 'all_proxy']
  return names.flatMap(name => [process.env[name], process.env[name.toUpperCase()]])
}

function seen<T>(given: T | Promise<T>, see: (value: T) => void): T | Promise<T> {
  const take = (value: T): T => {
    see(value)
    return value
  }
  return given instanceof Promise ? given.then(take) : take(given)
}

function note(known: string[], secret: string | undefined): void {
  if (secret === undefined || secret === '' || known.at(-1) === secret) return
  const at = known.indexOf(secret)
  if (at >= 0) known.splice(at, 1)
  known.push(secret)
  if (known.length > mostKnown) known.shift()
}

function secretsOfHeader(header: string): readonly string[] {
  const [, scheme = '', rest = header] = /^(\S+)\s+(.*)$/s.exec(header) ?? []
  if (scheme.toLowerCase() !== 'basic') return [rest]
  const login = Buffer.from(rest, 'base64').toString()
  return [rest, login, login.slice(login.indexOf(':') + 1)]
}

function secretsOfProxy(proxy: string | undefined): readonly string[] {
  if (proxy === undefined || !proxy.includes('@') || !URL.canParse(proxy)) return []
  const url = new URL(proxy)
  const [user, word] = loginOf(url)
  if (word === '') return []
  return [word, url.password, `${user}:${word}`, Buffer.from(`${user}:${word}`).toString('base64')]
}

/** The lines of a PEM key, because a text can break them in other places, and the whole in base64, as a kubeconfig has it. */
function secretsOfKey(key: string): readonly string[] {
  const lines = key.split(/\s*\n\s*/).filter(line => line.length >= 16 && !line.startsWith('-----'))
  return [...lines, lines.join(''), Buffer.from(key).toString('base64')]
}
