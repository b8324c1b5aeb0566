/** Replaces a secret in a text. */
const hidden = '(hidden)'

/** A text is read, and printed, up to this many characters. */
const longestText = 4096
/** The maximum length of a secret. A text that is cut may end within a secret, so this many further characters are removed. */
const longestSecret = 4096
/** The shortest credential that is hidden everywhere. A shorter one could be an ordinary word, and is hidden only in a header's form. */
const shortestSecret = 8

/** Forms of credentials that are hidden even if the client does not use them: a login in a header, a JSON web token, a private key. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/(authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:Bearer|Basic|Negotiate) )[^\s"',;]+/gi, `$1${hidden}`],
  [/\beyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)?/g, hidden],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g, hidden],
]

/** Words of eight letters or more in Kubernetes' messages. A credential that equals such a word is not hidden. */
const vocabulary: ReadonlySet<string> = new Set(
  [
    'administrator anonymous apiserver authentication authorization authorized authenticated certificate certificates',
    'cluster-admin clusters configmap configmaps configuration connection controller credentials deployment deployments',
    'endpoints forbidden kube-system kube-public kubernetes localhost namespace namespaces operator password permission',
    'permissions replicas request resource resources resourceversion secrets security service serviceaccount',
    'serviceaccounts services statefulset system:anonymous unauthorized username validation',
  ].flatMap(line => line.split(' ')),
)

/** Hides the secrets in a text. */
export type Redact = (text: string) => string

/** Hides credentials that are recognised by their form. Returns at most the first 4,096 characters. */
export function withoutCredentials(text: string): string {
  return redact(text, undefined)
}

/**
 * Hides the matches of `secrets` (see {@link patternOf}) and texts in the form of a credential. Returns at most the
 * first 4,096 characters. Its time is linear in the length of the read text, which is bounded.
 */
export function redact(text: string, secrets: RegExp | undefined): string {
  const read = text.slice(0, longestText + longestSecret)
  let left = secrets === undefined ? read : read.replace(secrets, hidden)
  for (const [form, instead] of forms) left = left.replace(form, instead)
  // The end of the cut text may be a part of a secret.
  if (read.length < text.length) left = left.slice(0, -longestSecret)
  else if (left.length <= longestText) return left
  return `${left.slice(0, longestText)}…`
}

/**
 * A pattern that matches each of `secrets`, also as it is encoded in URLs, JSON and base64. Leaves out secrets that are shorter than 8
 * characters or words of Kubernetes' messages. Returns `undefined` if no secret is left.
 */
export function patternOf(secrets: readonly string[]): RegExp | undefined {
  const hiddenOnes = secrets.filter(one => one.length >= shortestSecret && !vocabulary.has(one.toLowerCase()))
  // Longer secrets come first, because they can contain shorter ones.
  const found = [...new Set(hiddenOnes.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (found.length === 0) return undefined
  return new RegExp(found.map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
}

function formsOf(secret: string): readonly string[] {
  const url = encodeURIComponent(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const bytes = Buffer.from(secret)
  // In the base64 of a longer text a secret can begin at three offsets. Characters that it shares with the text around it are
  // left out.
  const base64 = [0, 1, 2].map(before => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const text = padded.toString('base64').replace(/=+$/, '')
    const stop = padded.length % 3 === 0 ? text.length : text.length - 1
    return text.slice(before === 0 ? 0 : before + 1, stop)
  })
  return [
    ...[secret, url, url.replace(/%../g, code => code.toLowerCase()), json, json.replaceAll('/', '\\/')],
    ...[...base64, ...base64.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))],
  ]
}
