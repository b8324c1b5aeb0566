import type { Said } from './run-scenario.ts'

type Record_ = Record<string, unknown>

/** Headers that clients may go by. All others (dates, audit ids, lengths) are each server's own. */
const headersKept = [
  'content-type',
  'content-encoding',
  'vary',
  'cache-control',
  'warning',
  'retry-after',
  'allow',
  'location',
  'x-content-type-options',
]
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Generated names in refusals: scenarios' generateNames begin so. */
const generatedName = /\b([Gg]en[-_])[bcdfghjklmnpqrstvwxz2456789]{5}\b/g
/** What a server calls itself where it owns fields. */
const serverName = /\bapiserver-[0-9a-f]{16}\b/g
/** Which address or port of the nodes a Service is given is chance. */
const address = /\b10\.0\.\d{1,3}\.\d{1,3}\b/g
const nodePort = /^(nodePort|healthCheckNodePort)$/
/** A real server prints its own types where it says what of a spec was changed. */
const changedSpec =
  /(pod updates may not change fields other than|spec is immutable after creation except)([^\n]*)\n[\s\S]*/
const changedTemplate = /Invalid value: \{[\s\S]{300,}?: field is immutable/
/** The resourceVersion of an object that a refusal quotes. */
const quotedVersion = /(\bresourceVersion\\*":\\*")\d+/g
/** The type of `self` in messages about a rule: a real server counts them. */
const selfType = /\bselfType\d+/g
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g

/**
 * What a server said in a scenario without what two servers can't have in common: uids and generated names become
 * ordinals, times `<time>`, resourceVersions of objects their rank among those seen, and those of collections the rank
 * that they are at or after (`~2`: the scenario's second change was there).
 */
export function normalise(said: readonly Said[]): unknown[] {
  const values = said.map(({ headers, ...rest }) => ({ ...rest, headers: keptHeaders(headers) }))
  const ranks = new Ranks(values)
  return values.map(value => ranks.value(value, ''))
}

function keptHeaders(headers: Said['headers']): Record_ {
  return Object.fromEntries(headersKept.filter(name => headers[name] !== undefined).map(name => [name, headers[name]]))
}

class Ranks {
  readonly #versions: number[]
  readonly #uids = new Map<string, string>()

  constructor(values: unknown) {
    const versions = new Set<number>()
    visit(values, (key, value) => {
      if (key === 'metadata' && isRecord(value)) {
        const { resourceVersion, name } = value
        if (typeof name === 'string' && /^\d+$/.test(String(resourceVersion))) versions.add(Number(resourceVersion))
      }
      if (typeof value !== 'string') return
      for (const [found] of value.matchAll(uid)) {
        if (!this.#uids.has(found)) this.#uids.set(found, `<uid ${this.#uids.size + 1}>`)
      }
    })
    this.#versions = [...versions].sort((a, b) => a - b)
  }

  value(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value, key)
    if (typeof value === 'number' && nodePort.test(key)) return '<port>'
    if (Array.isArray(value)) {
      const items = value.map(item => this.value(item, key))
      return key === 'events' ? items.filter((item, i) => !repeatsBookmark(item, items[i - 1])) : items
    }
    if (!isRecord(value)) return value
    const normal: Record_ = {}
    for (const name of Object.keys(value)) {
      if (name === 'resourceVersion') normal[name] = this.#version(value[name], typeof value.name === 'string')
      else normal[name] = this.value(inOneOrder(name, value[name]), name)
    }
    return normal
  }

  #version(value: unknown, ofObject: boolean): unknown {
    if (typeof value !== 'string' || !/^\d+$/.test(value) || value === '0') return value
    const rank = this.#versions.filter(one => one <= Number(value)).length
    return ofObject ? `<rv ${rank}>` : `<rv ~${rank}>`
  }

  #text(text: string, key: string): unknown {
    if (key === 'continue' && text !== '') {
      const { rv, ...token } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as { rv: number }
      return { ...token, rv: rv === -1 ? -1 : this.#version(String(rv), false) }
    }
    const normal = text
      .replace(uid, found => this.#uids.get(found) ?? found)
      .replace(time, '<time>')
      .replace(selfType, 'selfType')
      .replace(quotedVersion, '$1<version>')
      .replace(generatedName, '$1<generated>')
      .replace(serverName, 'apiserver-<id>')
      .replace(address, '<ip>')
    if (key === 'cells' && /^\d+s$/.test(text)) return '<age>'
    if (key !== 'message') return normal
    return normal
      .replace(changedSpec, '$1$2')
      .replace(changedTemplate, 'Invalid value: <template>: field is immutable')
      .replace(/(?<=\berrors:\n)(?: {2}.*\n?)+/, inLineOrder)
      .replace(/(?<=ResourceVersion in object meta: )\d+/, '<rv>')
      .replace(/Too large resource version: \d+, current: \d+/, 'Too large resource version: <rv>, current: <rv>')
      .replace(/too old resource version: \d+ \(\d+\)/, 'too old resource version: <rv> (<rv>)')
      .replace(/(ResourceVersion in (?:the precondition|record)) \((\d+)\)/g, (_, what: string, rv: string) => {
        return `${what} (${Number(rv) < 10 ? rv : this.#version(rv, true)})`
      })
  }
}

/**
 * Managers are listed by age in whole seconds, and which second a write falls into is chance; so is which manager's
 * conflicts an apply reports first.
 */
function inOneOrder(name: string, list: unknown): unknown {
  if (!Array.isArray(list)) return list
  if (name === 'causes') {
    const isConflict = (cause: unknown): boolean => isRecord(cause) && cause.reason === 'FieldManagerConflict'
    return list.every(isConflict) ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list
  }
  if (name !== 'managedFields') return list
  const key = ({ operation, manager, apiVersion, subresource }: Record_): string =>
    JSON.stringify([operation, manager, apiVersion, subresource])
  return list.toSorted((a, b) => (isRecord(a) && isRecord(b) && key(a) < key(b) ? -1 : 1))
}

/** Wrong fields of a map are reported in the order of Go's maps: any. */
function inLineOrder(lines: string): string {
  return lines.split('\n').sort().join('\n')
}

/** A server may send bookmarks without a new resourceVersion as often as it likes. */
function repeatsBookmark(event: unknown, before: unknown): boolean {
  if (!isRecord(event) || !isRecord(before) || event.type !== 'BOOKMARK' || before.type !== 'BOOKMARK') return false
  const version = ({ object }: Record_): unknown => ((object as Record_).metadata as Record_).resourceVersion
  return version(event) === version(before)
}

function visit(value: unknown, see: (key: string, value: unknown) => void, key = ''): void {
  see(key, value)
  if (Array.isArray(value)) for (const item of value) visit(item, see, key)
  else if (isRecord(value)) for (const name of Object.keys(value).sort()) visit(value[name], see, name)
}

function isRecord(value: unknown): value is Record_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
