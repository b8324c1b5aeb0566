import { type Json, type JsonObject, parseJson, setOwn, sortKeys } from '@wherry/cel/internal'
import type { KubeObject, ObjectMeta } from './object.ts'

/**
 * An object's JSON without `kind` and `apiVersion`, so that the same text can be sent in every version and form. A built-in's list item is sent without them;
 * otherwise they are added when the text is sent.
 *
 * The text holds one character for each byte of the UTF-8 (Latin-1), so it needs one byte a character and is copied to a socket without encoding.
 */
export interface StoredText {
  readonly text: string
  /** The position of the value of `metadata`: its start and its end. */
  readonly metaStart: number
  readonly metaEnd: number
  /** The position of `kind`: after the keys that sort before it. */
  readonly kindAt: number
}

/** The fields of ObjectMeta, in the order in which the API server's types print them. */
export const metaOrder: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]

function orderedMeta(meta: ObjectMeta, resourceVersion: string): JsonObject {
  const ordered: JsonObject = {}
  for (const key of metaOrder) {
    const value = key === 'resourceVersion' ? resourceVersion || undefined : meta[key]
    if (value !== undefined) ordered[key] = value
  }
  return ordered
}

/** Serialises `object`. With a `resourceVersion` of '' it gets none. Built-ins have the field order of their types, custom resources the key order of Go's maps. */
export function serialise(object: KubeObject, resourceVersion: string, custom: boolean): StoredText {
  const ordered = orderedMeta(object.metadata, resourceVersion)
  const meta = JSON.stringify(custom ? sortKeys(ordered) : ordered)
  let before = ''
  let beforeKind = ''
  let after = ''
  const rest: JsonObject = {}
  if (custom) {
    for (const key of Object.keys(object).sort()) {
      const value = object[key]
      if (key === 'metadata' || key === 'kind' || key === 'apiVersion' || value === undefined) continue
      const text = `${JSON.stringify(key)}:${JSON.stringify(sortKeys(value))},`
      if (key < 'kind') beforeKind += text
      else if (key < 'metadata') before += text
      else after += `,${text.slice(0, -1)}`
    }
  } else {
    for (const key of Object.keys(object)) {
      const value = object[key]
      if (key === 'metadata' || key === 'kind' || key === 'apiVersion' || value === undefined) continue
      setOwn(rest, key, value)
    }
    const text = JSON.stringify(rest)
    if (text !== '{}') after = `,${text.slice(1, -1)}`
  }
  const head = `{${beforeKind}`
  const upToMeta = `${head}${before}"metadata":`
  const whole = `${upToMeta}${meta}${after}}`
  const text = toLatin1(whole)
  const length = text.length === whole.length ? lengthOf : byteLength
  const metaStart = length(upToMeta)
  return { text, metaStart, metaEnd: metaStart + length(meta), kindAt: length(head) }
}

/** Parses the object in `stored`, with its kind and apiVersion. */
export function materialise(stored: StoredText, apiVersion: string, kind: string): KubeObject {
  const object = parseJson(fromLatin1(stored.text)) as JsonObject
  return Object.assign({ apiVersion, kind } as JsonObject, object) as KubeObject
}

/** The same object at the resourceVersion `to` in place of `from`. */
export function atResourceVersion(stored: StoredText, from: string, to: string, custom: boolean): StoredText {
  const { text, metaStart, metaEnd, kindAt } = stored
  const field = '"resourceVersion":"'
  // A quote in a string has a backslash before it, so this is a key. Before the field, the metadata of a built-in has only texts. After the field, that of a
  // custom resource has only texts.
  const at = custom ? text.lastIndexOf(field, metaEnd) : text.indexOf(field, metaStart)
  const begin = at + field.length
  if (at < metaStart || !text.startsWith(`${from}"`, begin))
    throw new Error(`an object without resourceVersion ${from}`)
  const next = text.slice(0, begin) + to + text.slice(begin + from.length)
  return { text: next, metaStart, metaEnd: metaEnd + to.length - from.length, kindAt }
}

/** The text of the whole object, as in a read of one object, in a custom resource's list item and in a watch event. */
export function withHead(stored: StoredText, apiVersion: string, kind: string, custom: boolean): string {
  const { text, kindAt } = stored
  if (!custom) return `{"kind":"${kind}","apiVersion":"${apiVersion}",${text.slice(1)}`
  if (kindAt === 1) return `{"apiVersion":"${apiVersion}","kind":"${kind}",${text.slice(1)}`
  return `{"apiVersion":"${apiVersion}",${text.slice(1, kindAt)}"kind":"${kind}",${text.slice(kindAt)}`
}

/** The object as `PartialObjectMetadata`. */
export function metadataText(stored: StoredText): string {
  const meta = stored.text.slice(stored.metaStart, stored.metaEnd)
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${meta}}`
}

const leanTexts = new WeakMap<StoredText, StoredText>()

/** The object without its `managedFields`. */
export function withoutManagedFields(stored: StoredText): StoredText {
  const known = leanTexts.get(stored)
  if (known !== undefined) return known
  const lean = leanOf(stored)
  leanTexts.set(stored, lean)
  return lean
}

function leanOf(stored: StoredText): StoredText {
  const { text, metaStart, metaEnd, kindAt } = stored
  // A quote in a string has a backslash before it, so this is a key. No other field of metadata has that name.
  const found = /[{,]"managedFields":\[/g
  found.lastIndex = metaStart
  const match = found.exec(text)
  if (match === null || match.index >= metaEnd) return stored
  const end = endOfList(text, found.lastIndex)
  const first = text[match.index] === '{'
  // The field is removed with one comma.
  const from = first ? match.index + 1 : match.index
  const to = first && text[end] === ',' ? end + 1 : end
  const lean = text.slice(0, from) + text.slice(to)
  return { text: lean, metaStart, metaEnd: metaEnd - (to - from), kindAt }
}

/** The end of a list. Its first item begins at `from`. */
function endOfList(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]]/g
  token.lastIndex = from
  let depth = 1
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '[') depth++
    else if (match[0] === ']' && --depth === 0) break
  }
  return token.lastIndex
}

/** The UTF-8 bytes of a text, as a flat text with a character for each byte. */
export function toLatin1(text: string): string {
  // A search makes V8 flatten the text.
  if (!/[\u0080-\uffff]/.test(text)) return text
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A value as Go prints it, a character for each byte: `<`, `>` and `&` are escaped. With `indent`, in lines that begin with so many spaces a level. */
export function goJson(value: Json, indent?: number): string {
  const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  return toLatin1(JSON.stringify(value, null, indent).replace(/[<>&\u2028\u2029]/g, escaped))
}

/** The text with the given bytes of UTF-8, a character for each byte. */
export function fromLatin1(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1
  return Buffer.from(latin1, 'latin1').toString('utf8')
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function lengthOf(text: string): number {
  return text.length
}
