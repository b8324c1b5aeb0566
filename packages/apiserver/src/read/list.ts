import { parseJson } from '@wherry/cel/internal'
import { fromLatin1, metadataText, type StoredText, withHead, withoutManagedFields } from '../objects/stored.ts'
import { protobufCodec } from '../protobuf/loaded.ts'
import { decodeContinue, encodeContinue } from '../requests/continue-token.ts'
import { type ListOptions, selects } from '../requests/list-options.ts'
import type { Representation } from '../requests/representation.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import type { Responder } from '../responder.ts'
import { StatusError } from '../status.ts'
import { objectKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { markedIn, type TableOptions, tableHead, tableRow } from './table.ts'

/** The result of a list: the items, and the metadata of the list. */
export interface ListResult {
  readonly items: readonly Version[]
  readonly rv: number
  readonly continue: string
  readonly remaining: number | undefined
}

/** The resource and namespace that a list reads. */
export interface ListSource {
  readonly store: Store
  readonly type: ResourceType
  /** The namespace; '' for all namespaces, or for a cluster-scoped resource. */
  readonly namespace: string
  /** Whether lists are served from a watch cache. Such lists ignore `limit` with `resourceVersion=0`. */
  readonly watchCache: boolean
}

/** The time for which a server waits for a resourceVersion that it has not reached, in milliseconds. */
export const tooLargeAfterMs = 3000

/** Lists objects by `options` as the storage layer does. Throws the server's refusals. The caller must delay a `TooLarge`. */
export function list({ store, type, namespace, watchCache }: ListSource, options: ListOptions): ListResult {
  const { selection } = options
  const prefix = namespace === '' ? '' : `${namespace}/`
  // With a field selector on `metadata.namespace`, the first page reads only that namespace, and its token is relative to it. The next page reads all
  // namespaces with that token, as in the real server, so a client that pages in this way sees items twice.
  const scope = namespace === '' && selection.fields?.namespace ? `${selection.fields.namespace}/` : prefix
  const collection = store.collection(type)
  const shown = (items: Version[]): Version[] => {
    type.conversion?.prepareList(type, items)
    const same = type.schema === undefined && type.conversion === undefined
    return same ? items : items.map(version => viewOf(type, version))
  }
  const current = store.revision
  let { limit } = options
  let rv = current
  let exact = false
  let start = prefix
  if (options.continue !== '') {
    const token = decodeContinue(options.continue)
    start = prefix + token.start
    if (token.rv !== -1) {
      rv = token.rv
      exact = true
    }
    if (exact && rv < store.compacted) {
      throw StatusError.expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        encodeContinue({ rv: -1, start: token.start }),
      )
    }
  } else if (options.resourceVersion !== undefined) {
    const asked = options.resourceVersion
    if (asked > current) throw StatusError.tooLarge(asked, current, watchCache ? 1 : 0)
    if (asked === 0) {
      if (watchCache) limit = 0
    } else if (options.match === 'Exact' || (options.match === undefined && limit > 0)) {
      rv = asked
      exact = true
      if (rv < store.compacted) throw StatusError.expired('The resourceVersion for the provided list is too old.')
    }
  }
  const named = namedKey(type, namespace, selection.fields)
  const all =
    named === undefined
      ? collection.snapshot(prefix, start, exact ? rv : undefined)
      : collection.snapshot(named, named, exact ? rv : undefined).filter(one => one.key === named)
  const selected = selection.any ? all.filter(version => selects(selection, version, type)) : all
  const items = limit === 0 ? selected : selected.slice(0, limit)
  const last = items.at(-1)
  // A full page is followed by another page if any objects are left, selected or not. So the last page may be empty.
  if (limit === 0 || items.length < limit || last === undefined || last === all.at(-1)) {
    return { items: shown(items), rv, continue: '', remaining: undefined }
  }
  return {
    items: shown(items),
    rv,
    continue: encodeContinue({ rv, start: `${last.key.slice(scope.length)}\u0000` }),
    remaining: selection.any ? undefined : selected.length - limit,
  }
}

/** The only key that a field selector on the name can match, if the namespace is known. */
export function namedKey(
  type: ResourceType,
  namespace: string,
  fields: ListOptions['selection']['fields'],
): string | undefined {
  if (fields?.name === undefined) return undefined
  if (!type.namespaced) return fields.name
  const within = namespace === '' ? fields.namespace : namespace
  return within === undefined || within === '' ? undefined : objectKey(within, fields.name)
}

/** The shard selector in the metadata of a built-in's list. */
function shardInfo(type: ResourceType, options: ListOptions): string {
  const { shard } = options.selection
  return shard === undefined || type.custom ? '' : `,"shardInfo":{"selector":${JSON.stringify(shard.text)}}`
}

/** Sends a list, a bounded piece at a time. */
export function sendList(
  responder: Responder,
  type: ResourceType,
  result: ListResult,
  options: ListOptions,
  representation: Representation,
  table: Pick<TableOptions, 'now' | 'include'>,
): void {
  const { items, rv } = result
  if (responder.protobuf) return sendEncodedList(responder, type, result, options, representation)
  const more = `${result.continue === '' ? '' : `,"continue":"${result.continue}"`}${result.remaining === undefined ? '' : `,"remainingItemCount":${result.remaining}`}`
  const shard = shardInfo(type, options)
  // Objects that are not stored have no resourceVersion.
  const metadata = rv === 0 ? '{}' : `{"resourceVersion":"${rv}"${more}${shard}}`
  let head: string
  let tail: string
  let itemText: (version: Version) => string
  const form = representation.lean ? withoutManagedFields : (version: StoredText) => version
  if (representation.as === 'metadata') {
    head = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"items":${items.length === 0 ? 'null' : '['}`
    tail = items.length === 0 ? '}\n' : ']}\n'
    itemText = version => metadataText(form(version))
  } else if (representation.as === 'table') {
    head = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},${tableHead(type)},"rows":[`
    tail = ']}\n'
    const marked = markedIn(type, items)
    itemText = version => tableRow(type, version, { ...table, marked })
  } else if (type.custom) {
    // The server treats a custom resource's list as a map: its keys are sorted, and `continue` is always present.
    const fields = [`"continue":"${result.continue}"`]
    if (result.remaining !== undefined) fields.push(`"remainingItemCount":${result.remaining}`)
    fields.push(`"resourceVersion":"${rv}"`)
    head = `{"apiVersion":"${type.apiVersion}","items":[`
    tail = `],"kind":"${type.listKind}","metadata":{${fields.join(',')}}}\n`
    itemText = version => withHead(form(version), type.apiVersion, type.kind, true)
  } else {
    head = `{"kind":"${type.listKind}","apiVersion":"${type.apiVersion}","metadata":${metadata},"items":[`
    tail = ']}\n'
    itemText = version => form(version).text
  }
  if (responder.pretty || responder.yaml) return sendPretty(responder, items, head, tail, itemText)
  responder.start(responder.gzip && isLarge(items))
  const writer = new ChunkWriter(responder)
  let at = 0
  writer.plain(head)
  const pump = (): void => {
    while (at < items.length) {
      if (!writer.ready) return
      writer.object(itemText(items[at] as Version), at === 0 ? '' : ',', '')
      at++
    }
    writer.plain(tail)
    writer.end()
  }
  writer.onReady(pump)
  pump()
}

/** Sends a list in protobuf, in which the length of the list precedes it. */
function sendEncodedList(
  responder: Responder,
  type: ResourceType,
  { items, rv, continue: next, remaining }: ListResult,
  options: ListOptions,
  { as, lean }: Representation,
): void {
  const { encodeList, encodeMessage, messageNameOf } = protobufCodec()
  const asMetadata = as === 'metadata'
  const apiVersion = asMetadata ? 'meta.k8s.io/v1' : type.apiVersion
  const kind = asMetadata ? 'PartialObjectMetadata' : type.kind
  const message = messageNameOf(apiVersion, kind)
  const encoded = items.map(version => {
    const shown = lean ? withoutManagedFields(version) : version
    return encodeMessage(message, parseJson(fromLatin1(asMetadata ? metadataText(shown) : shown.text)))
  })
  const { shard } = options.selection
  const metadata = {
    resourceVersion: rv === 0 ? '' : String(rv),
    continue: next,
    remainingItemCount: remaining,
    shardInfo: shard === undefined || type.custom ? undefined : { selector: shard.text },
  }
  const listKind = asMetadata ? 'PartialObjectMetadataList' : type.listKind
  responder.encoded(200, encodeList({ apiVersion, kind: listKind, metadata, items: encoded }), items.length)
}

function isLarge(items: readonly Version[]): boolean {
  let bytes = 0
  for (const item of items) {
    bytes += item.text.length
    if (bytes > 128 * 1024) return true
  }
  return false
}

function sendPretty(
  responder: Responder,
  items: readonly Version[],
  head: string,
  tail: string,
  itemText: (version: Version) => string,
): void {
  const texts = items.map(itemText)
  responder.latin1(
    200,
    `${head}${texts.join(',')}${tail}`,
    texts.reduce((sum, text) => sum + text.length, 0),
  )
}
