import type { Clock } from '@wherry/client'
import type { Draw } from './draw.ts'
import { apiVersionOf, type Happened, type Kind, keyOf, kinds, type Stored, type Truth } from './truth.ts'
import type { Asked, Out, WireFault } from './wire.ts'

/** What may be wrong with what an answer says. */
export const apiFaults = [
  'status',
  'plain-not-found',
  'status-not-found',
  'retry-after',
  'redirect',
  'echo-page',
  'huge-body',
  'show-secret',
  'unauthorized',
  'never',
  'json-proto',
  'json-duplicates',
  'json-huge-number',
  'json-deep',
  'json-broken',
  'json-not-object',
  'null-metadata',
  'null-version',
  'null-continue',
  'no-version',
  'old-version',
  'same-continue',
  'unproved-list',
  'more-remain',
  'other-namespace',
  'other-kind',
  'nameless',
  'ignore-initial',
  'drip',
  'mute',
  'break-watch',
  'error-event',
  'reorder',
  'duplicate',
  'bookmark-back',
  'no-bookmark',
  'early-bookmark',
  'partial-line',
  'odd-event',
] as const
export type ApiFault = (typeof apiFaults)[number]

/** The planted texts, which may be shown nowhere. */
export interface Markers {
  readonly secretData: string
}

export interface HostileApiOptions {
  readonly clock: Clock
  readonly truth: Truth
  readonly draw: Draw
  /** How often what an answer says is wrong, while it is hostile. */
  readonly rate: number
  readonly faults: readonly ApiFault[]
  readonly markers: Markers
  readonly note: (line: string) => void
}

interface Asking {
  readonly asked: Asked
  readonly out: Out
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly isMetadata: boolean
  readonly draw: Draw
  readonly fault: ApiFault | undefined
  matches(object: Stored): boolean
}

/** Answers as an API server does, or nearly so. */
export class HostileApi {
  readonly #options: HostileApiOptions
  readonly #snapshots = new Map<string, { readonly version: number; readonly items: readonly Stored[] }>()
  /** Numbers their tokens: no two are the same. */
  #pages = 0
  /** Tokens that it takes; `undefined`: anybody. */
  tokens: ReadonlySet<string> | undefined
  behaves = false
  requests = 0

  constructor(options: HostileApiOptions) {
    this.#options = options
  }

  answer(asked: Asked, out: Out, wire: WireFault | undefined): void {
    const { draw: all, rate, faults, note } = this.#options
    this.requests++
    const draw = all.fork()
    const possible = faults.filter(fault => applies(fault, asked))
    const isBad = !this.behaves && possible.length > 0 && draw.chance(rate)
    const fault = isBad ? draw.pick(possible) : undefined
    if (fault !== undefined || wire !== undefined) {
      const query = `${asked.query}`.slice(0, 120)
      note(
        `request ${this.requests} ${asked.method} ${asked.path}?${query}: ${[fault, wire && `${wire.what}@${wire.at}`].filter(Boolean).join(', ')}`,
      )
    }
    const { authorization } = asked.headers
    if (this.tokens !== undefined && !this.tokens.has(authorization?.replace(/^Bearer /, '') ?? '')) {
      return status(out, 401, 'Unauthorized', 'Unauthorized')
    }
    if (fault !== undefined && this.#refuse(fault, asked, out, draw)) return
    this.#serve(asked, out, draw, fault)
  }

  /** Answers that are no answer at all. */
  #refuse(fault: ApiFault, asked: Asked, out: Out, draw: Draw): boolean {
    const { markers } = this.#options
    const echoed = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`)
    const page = (text: string): string => `<html><head><title>Error</title></head><body>${text}</body></html>`
    const html = { 'content-type': 'text/html' }
    if (fault === 'status') {
      const code = draw.pick([
        400, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504, 204, 206, 299, 304, 418,
      ])
      const how = draw.pick(['status', 'html', 'plain', 'empty', 'broken'])
      if (how === 'status')
        status(out, code, draw.pick(['Forbidden', 'NotFound', 'Expired', 'Whatever', 'InternalError']), 'no')
      else
        body(
          out,
          code,
          how === 'html' ? page('no') : how === 'plain' ? 'no' : how === 'empty' ? '' : '{"kind":"Status","mess',
          html,
        )
    } else if (fault === 'plain-not-found') body(out, 404, '404 page not found\n', { 'content-type': 'text/plain' })
    else if (fault === 'status-not-found')
      status(out, 404, 'NotFound', 'the server could not find the requested resource')
    else if (fault === 'retry-after') {
      const after = draw.pick(['0', '1', '7', '999999999', '1e9', '-1', 'Wed, 21 Oct 2099 07:28:00 GMT', 'soon'])
      status(out, draw.pick([429, 503]), 'TooManyRequests', 'slow down', { 'retry-after': after })
    } else if (fault === 'redirect') {
      body(out, draw.pick([301, 302, 307, 308]), '', {
        location: draw.pick(['/', asked.path, 'http://127.0.0.1:1/', '//x']),
      })
    } else if (fault === 'echo-page') {
      const how = draw.pick(['html', 'status', 'plain'])
      const code = draw.pick([400, 403, 404, 407, 500, 502, 503])
      if (how === 'status') status(out, code, 'Forbidden', echoed.join('; '), {}, echoed.join('\n'))
      else body(out, code, how === 'html' ? page(echoed.join('<br>')) : echoed.join('\n'), how === 'html' ? html : {})
    } else if (fault === 'huge-body') {
      const code = draw.pick([200, 403, 500])
      body(out, code, draw.pick(['x', '[', '{"a":', ' ', '{"kind":"Status","message":"']).repeat(300_000))
    } else if (fault === 'show-secret' && /\/secrets(\/|$)/.test(asked.path)) {
      const text = `Secret is invalid: data: ${markers.secretData}`
      const code = draw.pick([403, 409, 422, 500])
      if (draw.chance(0.7)) status(out, code, 'Invalid', text, {}, text)
      else body(out, code, text, { 'content-type': 'text/plain' })
    } else if (fault === 'unauthorized') status(out, 401, 'Unauthorized', 'Unauthorized')
    else if (fault === 'never') return true
    else return false
    return true
  }

  #serve(asked: Asked, out: Out, draw: Draw, fault: ApiFault | undefined): void {
    if (asked.path === '/api' || asked.path === '/apis' || /^\/(api\/v1|apis\/[^/]+\/[^/]+)$/.test(asked.path)) {
      return discover(asked.path, out)
    }
    const route = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(asked.path)
    const [, group = '', version, namespace, plural, name] = route ?? []
    const kind = kinds.find(one => one.group === group && one.version === version && one.plural === plural)
    if (kind === undefined) return body(out, 404, '404 page not found\n', { 'content-type': 'text/plain' })
    const labels = (asked.query.get('labelSelector') ?? '')
      .split(',')
      .filter(Boolean)
      .map(text => text.split('='))
    const fields = (asked.query.get('fieldSelector') ?? '')
      .split(',')
      .filter(Boolean)
      .map(text => text.split('='))
    const asking: Asking = {
      asked,
      out,
      kind,
      namespace,
      name,
      draw,
      fault,
      isMetadata: /as=PartialObjectMetadata/.test(asked.headers.accept ?? ''),
      matches: ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        labels.every(([label = '', value]) => metadata.labels?.[label] === value) &&
        fields.every(([field, value]) => (field === 'metadata.name' ? metadata.name : metadata.namespace) === value),
    }
    if (asked.query.get('watch') === 'true' || asked.query.get('watch') === '1') return this.#watch(asking)
    if (asked.method === 'GET') return name === undefined ? this.#list(asking) : this.#get(asking)
    this.#write(asking)
  }

  #get({ kind, namespace, name, out, isMetadata, fault, draw }: Asking): void {
    const key = namespace === undefined ? `${name}` : `${namespace}/${name}`
    const found = this.#options.truth.of(kind.plural).get(key)
    if (found === undefined) {
      return status(out, 404, 'NotFound', `${kind.plural} "${name}" not found`, {}, undefined, {
        name,
        kind: kind.plural,
      })
    }
    body(out, 200, this.#text(found, isMetadata, fault, draw))
  }

  #write({ kind, namespace, name, out, asked }: Asking): void {
    const { truth } = this.#options
    const given = asked.body === '' ? {} : (JSON.parse(asked.body) as { metadata?: Record<string, unknown> })
    const metadata = given.metadata ?? {}
    const key = `${namespace}/${name ?? metadata.name}`
    const old = truth.of(kind.plural).get(key)
    if (asked.method === 'POST') {
      if (old !== undefined) return status(out, 409, 'AlreadyExists', `${key} already exists`)
      const { managedFields: _, ...own } = metadata
      return body(out, 201, JSON.stringify(truth.put(kind, { ...given, metadata: { ...own, namespace } })))
    }
    if (old === undefined) return status(out, 404, 'NotFound', 'not found', {}, undefined, { name, kind: kind.plural })
    if (asked.method === 'DELETE') {
      truth.delete(kind.plural, key)
      return body(
        out,
        200,
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Status',
          status: 'Success',
          details: { name, uid: old.metadata.uid },
        }),
      )
    }
    const merged = { ...old, ...given, metadata: { ...old.metadata, ...metadata } }
    body(out, 200, JSON.stringify(truth.put(kind, merged)))
  }

  #list(asking: Asking): void {
    const { asked, kind, out, isMetadata, draw, fault } = asking
    const { truth } = this.#options
    const limit = Number(asked.query.get('limit') ?? 0)
    const token = asked.query.get('continue') ?? ''
    if (this.behaves) this.#snapshots.delete('for-ever')
    let snapshot = this.#snapshots.get(token)
    if (token !== '' && snapshot === undefined)
      return status(out, 410, 'Expired', 'The provided continue parameter is too old')
    snapshot ??= {
      version: truth.version,
      items: [...truth.of(kind.plural).values()].filter(object => asking.matches(object)),
    }
    const page = limit > 0 ? snapshot.items.slice(0, limit) : snapshot.items
    const rest = snapshot.items.slice(page.length)
    const next = rest.length > 0 ? `token-${truth.version}-${++this.#pages}` : ''
    if (next !== '') this.#snapshots.set(next, { version: snapshot.version, items: rest })
    const metadata: Record<string, unknown> = {
      resourceVersion: `${snapshot.version}`,
      ...(next !== '' && { continue: next }),
    }
    if (fault === 'null-version') metadata.resourceVersion = null
    if (fault === 'no-version') delete metadata.resourceVersion
    if (fault === 'old-version') metadata.resourceVersion = `${draw.integer(1, snapshot.version)}`
    if (fault === 'null-continue' && next === '') metadata.continue = null
    // That token leads to itself: pages that end would be a lie that nobody can see through.
    if (fault === 'same-continue' || token === 'for-ever') {
      this.#snapshots.set('for-ever', { version: snapshot.version, items: page })
      metadata.continue = 'for-ever'
    }
    const items = page.map(object => this.#text(object, isMetadata, fault, draw))
    if (fault === 'duplicate' && items.length > 0) items.push(items[0] as string)
    const odd = this.#odd(asking)
    if (odd !== undefined) items.splice(draw.integer(0, items.length), 0, odd)
    const type = isMetadata
      ? { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' }
      : { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind) }
    let text = `{"kind":"${type.kind}","apiVersion":"${type.apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`
    if (fault === 'null-metadata' && draw.chance(0.3)) text = text.replace(JSON.stringify(metadata), 'null')
    if (fault === 'json-broken') text = text.slice(0, draw.integer(1, text.length - 1))
    if (fault === 'json-not-object')
      text = draw.pick([
        'null',
        '[]',
        '"x"',
        '1',
        'true',
        `{"items":${draw.pick(['{}', '1', '""'])},"metadata":{"resourceVersion":"5"}}`,
        '{}',
      ])
    if (fault === 'unproved-list') text = unproved(kind, isMetadata, snapshot.version, draw)
    if (fault === 'more-remain' && next !== '' && page.length > 0) {
      const remaining = { resourceVersion: metadata.resourceVersion, remainingItemCount: rest.length }
      text = text.replace(JSON.stringify(metadata), JSON.stringify(remaining))
    }
    body(out, 200, text)
  }

  /** An object that was not asked for, or is none. */
  #odd({ kind, isMetadata, namespace, fault, draw, name, asked }: Asking): string | undefined {
    const version = `${this.#options.truth.version}`
    const type = isMetadata
      ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
      : { kind: kind.kind, apiVersion: apiVersionOf(kind) }
    const metadata = { name: 'stranger', namespace: 'a', uid: 'stranger', resourceVersion: version }
    const isNarrow = namespace !== undefined || name !== undefined || asked.query.has('fieldSelector')
    if (fault === 'other-namespace' && kind.namespaced && namespace !== undefined) {
      return JSON.stringify({ ...type, metadata: { ...metadata, namespace: 'elsewhere' } })
    }
    if (fault === 'other-kind' && !isMetadata) {
      return JSON.stringify({
        apiVersion: 'v1',
        kind: 'Stranger',
        metadata: { ...metadata, ...(isNarrow && namespace && { namespace }) },
      })
    }
    if (fault === 'nameless') {
      return JSON.stringify({
        ...type,
        metadata: draw.pick([
          { ...metadata, name: undefined },
          { ...metadata, name: '' },
          { ...metadata, name: 7 },
          { ...metadata, name: null },
        ]),
      })
    }
    if (fault === 'null-metadata')
      return JSON.stringify(draw.pick([{ ...type, metadata: null }, { ...type }, null, 5, [], 'x']))
    return undefined
  }

  #text(object: Stored, isMetadata: boolean, fault: ApiFault | undefined, draw: Draw): string {
    const { metadata } = object
    let text = JSON.stringify(
      isMetadata ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } : object,
    )
    const add = (more: string): void => {
      text = `${text.slice(0, -1)},${more}}`
    }
    if (fault === 'json-proto') {
      add(
        '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"extra":{"__proto__":{"polluted":1},"toString":1,"hasOwnProperty":null}',
      )
    }
    if (fault === 'json-duplicates')
      add('"extra":1,"extra":{"metadata":{"name":"x"}},"extra":[{"items":[{"metadata":{}}]}]')
    if (fault === 'json-huge-number')
      add('"extra":[1e400,-1e400,9007199254740993,123456789012345678901234567890,1e21,0.1e-400,-0]')
    if (fault === 'json-deep')
      add(
        `"extra":${'['.repeat(draw.pick([100, 5000, 20_000]))}`.replace(/\[+$/, open => open + ']'.repeat(open.length)),
      )
    return text
  }

  #watch(asking: Asking): void {
    const { asked, kind, out, isMetadata, fault, draw } = asking
    const { truth, clock } = this.#options
    const given = asked.query.get('resourceVersion') ?? ''
    const from = given === '' ? 0 : Number(given)
    const wantsInitial =
      asked.query.get('sendInitialEvents') === 'true' ||
      ((given === '' || given === '0') && asked.query.get('sendInitialEvents') === null)
    const ends: (() => void)[] = []
    let isOpen = true
    out.onOver(() => {
      isOpen = false
      for (const end of ends.splice(0)) end()
    })
    const later = (ms: number, fn: () => void): void => {
      if (!isOpen) return
      const timer = clock.timer(ms, fn)
      ends.push(() => timer.cancel())
    }
    const line = (type: string, text: string): void => {
      if (isOpen) out.write(`{"type":"${type}","object":${text}}\n`)
    }
    const text = (object: Stored): string => this.#text(object, isMetadata, fault, draw)
    const bookmark = (version: number, isEnd: boolean): void => {
      const type = isMetadata
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
        : { kind: kind.kind, apiVersion: apiVersionOf(kind) }
      const annotations = isEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
      line('BOOKMARK', JSON.stringify({ ...type, metadata: { resourceVersion: `${version}`, ...annotations } }))
    }
    if (from > 0 && !wantsInitial && from < truth.compactedAt) {
      if (draw.chance(0.5)) return status(out, 410, 'Expired', 'too old resource version')
      out.head(200, { 'content-type': 'application/json' })
      line('ERROR', statusText(410, 'Expired', 'too old resource version'))
      return out.end()
    }
    out.head(200, { 'content-type': 'application/json' })
    if (fault === 'break-watch') return draw.chance(0.5) ? out.cut(draw.chance(0.5)) : out.end()
    if (fault === 'mute') return
    if (fault === 'error-event') {
      const code = draw.pick([400, 401, 403, 404, 405, 409, 410, 429, 500, 503, 504])
      const odd = draw.pick(['null', '{}', '[]', '"x"', '{"kind":"Status"}'])
      line('ERROR', draw.chance(0.8) ? statusText(code, 'Whatever', 'an error') : odd)
      if (draw.chance(0.7)) out.end()
      return
    }
    if (fault === 'odd-event') {
      const odd = [
        'null',
        '{}',
        '[]',
        '7',
        '{"type":"ADDED"}',
        '{"type":"GROWN","object":{}}',
        '{"type":"ADDED","object":null}',
        '{"type":7,"object":{}}',
        '{"object":{"metadata":{}},"type":"DELETED"}',
        'garbage',
        '',
      ]
      out.write(`${draw.pick(odd)}\n`)
      if (draw.chance(0.5)) return out.end()
    }
    const there = [...truth.of(kind.plural).values()].filter(object => asking.matches(object))
    const version = truth.version
    const drip = (): void => {
      const [object] = draw.shuffle(there)
      if (object !== undefined && truth.of(kind.plural).get(keyOf(object)) === object) line('ADDED', text(object))
      later(draw.integer(1000, 9000), drip)
    }
    // A watch that goes on from a version and leaves deletes out looks like one in which nothing was deleted.
    if (fault === 'drip' && wantsInitial) return drip()
    if (wantsInitial && fault !== 'ignore-initial') {
      const shown = fault === 'reorder' ? draw.shuffle(there) : fault === 'duplicate' ? [...there, ...there] : there
      if (fault === 'early-bookmark') bookmark(version, false)
      const odd = this.#odd(asking)
      if (odd !== undefined) line('ADDED', odd)
      for (const object of shown) line('ADDED', text(object))
      if (fault === 'partial-line') {
        out.write('{"type":"ADDED","object":{"kind":"Con')
        return draw.chance(0.5) ? out.end() : out.cut(draw.chance(0.5))
      }
      if (asked.query.get('sendInitialEvents') === 'true' && fault !== 'no-bookmark') bookmark(version, true)
    } else if (!wantsInitial) {
      for (const event of truth.history(kind.plural)) if (event.version > from) send(event)
      if (fault === 'partial-line') {
        out.write('{"type":"MODI')
        return out.end()
      }
    }
    if (fault === 'bookmark-back') bookmark(draw.integer(1, version), false)
    function send({ type, object, old, version: at }: Happened): void {
      const is = type !== 'DELETED' && asking.matches(object)
      const was = old !== undefined && asking.matches(old)
      if (is) line(was ? 'MODIFIED' : 'ADDED', text(object))
      else if (was) line('DELETED', text({ ...old, metadata: { ...old.metadata, resourceVersion: `${at}` } }))
    }
    if (!isOpen) return
    ends.push(truth.on((plural, event) => plural === kind.plural && send(event)))
    const mark = (): void => {
      bookmark(fault === 'bookmark-back' ? draw.integer(1, truth.version) : truth.version, false)
      later(60_000, mark)
    }
    if (asked.query.get('allowWatchBookmarks') === 'true' && fault !== 'no-bookmark') later(60_000, mark)
    const seconds = Number(asked.query.get('timeoutSeconds') ?? 1800)
    later(seconds * 1000, () => out.end())
  }
}

/** An answer without objects that is not the list asked for: it says of no object that it is gone. */
function unproved(kind: Kind, isMetadata: boolean, version: number, draw: Draw): string {
  const other = draw.pick(kinds.filter(one => one !== kind))
  const types = [
    {},
    { kind: 'List', apiVersion: 'v1' },
    { kind: 'Status', apiVersion: 'v1', status: 'Success' },
    { kind: `${kind.kind}List` },
    { kind: `${kind.kind}List`, apiVersion: 'other.example.com/v1' },
    // The metadata form has one kind for all resources.
    ...(isMetadata ? [] : [{ kind: `${other.kind}List`, apiVersion: apiVersionOf(other) }]),
  ]
  const type = draw.pick(types)
  const metadata = { resourceVersion: `${draw.pick([version, version + 100_000])}` }
  return JSON.stringify(draw.chance(0.5) ? { ...type, metadata, items: [] } : { items: [], metadata, ...type })
}

function applies(fault: ApiFault, { method, path, query }: Asked): boolean {
  const isWatch = query.get('watch') !== null
  if (/^(status|plain|retry|redirect|echo|huge|unauth|never)/.test(fault)) return true
  if (fault === 'show-secret') return /\/secrets(\/|$)/.test(path)
  if (method !== 'GET') return false
  if (/^json-(proto|dup|huge|deep)/.test(fault)) return true
  if (/^(ignore|drip|mute|break|error|reorder|bookmark|no-bookmark|early|partial|odd)/.test(fault)) return isWatch
  if (/^(other|nameless|null-metadata|duplicate)/.test(fault)) return true
  return !isWatch
}

function statusText(code: number, reason: string, message: string, cause?: string, details: object = {}): string {
  const causes = cause === undefined ? {} : { causes: [{ reason: 'FieldValueInvalid', message: cause, field: 'data' }] }
  const about = { ...details, ...causes }
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: about,
    code,
  })
}

function status(
  out: Out,
  code: number,
  reason: string,
  message: string,
  headers = {},
  cause?: string,
  details = {},
): void {
  body(out, code, statusText(code, reason, message, cause, details), headers)
}

function body(out: Out, code: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  const isBodiless = code === 204 || code === 304
  out.head(code, { 'content-type': 'application/json', ...headers }, isBodiless ? 0 : Buffer.byteLength(text))
  if (!isBodiless) out.write(text)
  out.end()
}

function discover(path: string, out: Out): void {
  const list = (version: string): object => ({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: version,
    resources: kinds
      .filter(kind => apiVersionOf(kind) === version)
      .map(({ plural, kind, namespaced }) => ({
        name: plural,
        singularName: '',
        namespaced,
        kind,
        verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      })),
  })
  const groups = [...new Set(kinds.map(({ group }) => group))].filter(Boolean)
  if (path === '/api') return body(out, 200, JSON.stringify({ kind: 'APIVersions', versions: ['v1'] }))
  if (path !== '/apis') return body(out, 200, JSON.stringify(list(path.replace(/^\/apis?\//, ''))))
  const described = groups.map(name => {
    const version = { groupVersion: `${name}/v1`, version: 'v1' }
    return { name, versions: [version], preferredVersion: version }
  })
  body(out, 200, JSON.stringify({ kind: 'APIGroupList', apiVersion: 'v1', groups: described }))
}
