/** What stands where a secret stood. */
const hidden = '(hidden)'

/** So many headers, and keys, are known: one that is rotated may be echoed by an answer that is under way. */
const mostKnown = 4
/** A shorter secret is a word of many texts: it is hidden where it stands alone. */
const shortLength = 8

/** What is known to be a secret by its form, whosever it is: a login in a header, a JSON web token, a private key. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)(\s+|%20|\+)(?=[^\s"',;]{0,200}\d)[\w\-.~+/%]{16,}=*/gi, `$1 ${hidden}`],
  [/\beyJ[\w-]{10,4096}\.[\w-]+(?:\.[\w-]*)?/g, hidden],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g, hidden],
]

/** So many characters of a text are looked at, and kept. */
const mostLookedAt = 65_536
/** A secret may be cut in two there: what stands last is dropped. */
const longestSecret = 8192

/** Hides what is a secret by its form. Of a very long text the beginning is left. */
export function withoutCredentials(text: string): string {
  return within(text, replaced)
}

function replaced(text: string): string {
  let left = text
  for (const [form, instead] of forms) left = left.replace(form, instead)
  return left
}

function within(text: string, redact: (text: string) => string): string {
  if (text.length <= mostLookedAt) return redact(text)
  return redact(text.slice(0, mostLookedAt)).slice(0, -longestSecret)
}

/**
 * The credentials that a client has, to be hidden in what comes from a server: a proxy that answers with the request's own
 * headers would put a token into an error. Found as they are, and as URLs, JSON and base64 have them.
 */
export class KnownSecrets {
  readonly #headers: string[] = []
  readonly #keys: string[] = []
  readonly #proxies: () => readonly (string | undefined)[]
  #of = ''
  #pattern: RegExp | undefined

  /** @param proxies the URLs of proxies, asked for when there is something to hide: they may have a login. */
  constructor(proxies: () => readonly (string | undefined)[] = () => []) {
    this.#proxies = proxies
  }

  /** These headers show a server who one is. */
  noteHeaders(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) note(this.#headers, headers[name])
  }

  /** This is a client's private key, PEM. */
  noteKey(key: string | undefined): void {
    note(this.#keys, key)
  }

  /** `text` without what is known, and without what is a secret by its form. Of a very long one the beginning is left. */
  redact(text: string): string {
    const pattern = this.#known()
    return within(text, head => replaced(pattern === undefined ? head : head.replace(pattern, hidden)))
  }

  #known(): RegExp | undefined {
    const parts = [...this.#headers.flatMap(secretsOfHeader), ...this.#proxies().flatMap(secretsOfProxy)]
    const keys = this.#keys.flatMap(secretsOfKey)
    const secrets = [...new Set([...parts, ...keys])].filter(secret => secret !== '')
    const of = secrets.join('\n')
    if (of === this.#of) return this.#pattern
    this.#of = of
    // The longest first: it may hold another.
    const found = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
    this.#pattern = found.length === 0 ? undefined : new RegExp(found.map(patternOf).join('|'), 'g')
    return this.#pattern
  }
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
  return scheme.toLowerCase() === 'basic' ? [rest, ...secretsOfLogin(Buffer.from(rest, 'base64').toString())] : [rest]
}

function secretsOfLogin(login: string): readonly string[] {
  return [login, login.slice(login.indexOf(':') + 1)]
}

function secretsOfProxy(proxy: string | undefined): readonly string[] {
  if (proxy === undefined || !proxy.includes('@') || !URL.canParse(proxy)) return []
  const { username, password } = new URL(proxy)
  const [user, word] = [decoded(username), decoded(password)]
  if (word === '') return []
  return [word, password, `${user}:${word}`, Buffer.from(`${user}:${word}`).toString('base64')]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Its lines, as PEM may be broken in many ways, and the whole in base64, as a kubeconfig has it. */
function secretsOfKey(key: string): readonly string[] {
  const lines = key.split(/\s*\n\s*/).filter(line => line.length >= 16 && !line.startsWith('-----'))
  return [...lines, lines.join(''), Buffer.from(key).toString('base64')]
}

/** The ways in which a text may have a secret. */
function formsOf(secret: string): readonly string[] {
  const url = encodeURIComponent(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const plain = [secret, url, url.replace(/%../g, code => code.toLowerCase()), json, json.replaceAll('/', '\\/')]
  if (secret.length < shortLength) return plain
  const bytes = Buffer.from(secret)
  // In base64 of something longer it may begin at any of three places; what it shares with its neighbours is left out.
  const within = [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const stop = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1
    return text.slice(before === 0 ? 0 : before + 1, stop)
  })
  return [...plain, ...within, ...within.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

function patternOf(text: string): string {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return text.length < shortLength ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])` : literal
}
