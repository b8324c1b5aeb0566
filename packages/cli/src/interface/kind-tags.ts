import type { PrintColumn, ScalePaths } from '@wherry/crd'
import type { DocComment, Tag } from './doc-comment.ts'
import { pluralOf } from './plural.ts'

/** The properties of a kind and version, from the doc comment of the interface. */
export interface KindTags {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string | undefined
  readonly listKind: string | undefined
  readonly namespaced: boolean
  readonly shortNames: readonly string[] | undefined
  readonly categories: readonly string[] | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
  /** Further fields of the definition's spec. */
  readonly more: Readonly<Record<string, unknown>>
  readonly version: string
  readonly storage: boolean
  readonly served: boolean
  readonly deprecated: string | boolean
  readonly scale: ScalePaths | undefined
  readonly printColumns: readonly PrintColumn[] | undefined
  readonly selectableFields: readonly string[] | undefined
  /** Whether the status is a subresource; undefined if the fields of the interface decide that. */
  readonly hasStatus: boolean | undefined
  /** All other tags, which are for the object's schema. */
  readonly others: readonly Tag[]
}

/** Whether an interface describes a kind. */
export function isOfKind(comment: DocComment | undefined): comment is DocComment {
  return comment?.tags.some(({ name }) => name === 'group') === true
}

/** Reads the tags of a kind. A wrong tag is refused, and otherwise ignored. */
export function kindTags(comment: DocComment, name: string, refuse: (message: string) => void): KindTags {
  const all = (tag: string): readonly string[] => comment.tags.filter(one => one.name === tag).map(({ text }) => text)
  const one = (tag: string): string | undefined => {
    const [text, ...more] = all(tag)
    if (more.length > 0) refuse(`has @${tag} twice.`)
    if (text === '') refuse(`has @${tag} without a value.`)
    return text === '' ? undefined : text
  }
  const words = (tag: string): readonly string[] | undefined => {
    const listed = all(tag).flatMap(text => text.split(/[\s,]+/))
    return listed.length === 0 ? undefined : listed
  }
  const has = (tag: string): boolean => all(tag).length > 0
  const kind = one('kind') ?? name
  const version = one('version')
  if (version === undefined) refuse('has no @version. Add one: @version v1')
  const [deprecated] = all('deprecated')
  const columns = all('printColumn').map(text => columnOf(text) ?? refuse(`has @printColumn ${text}, ${columnTakes}`))
  return {
    ...{ group: one('group') ?? '', kind, plural: one('plural') ?? pluralOf(kind.toLowerCase()) },
    ...{ singular: one('singular'), listKind: one('listKind'), namespaced: !has('cluster') },
    ...{ shortNames: words('shortName'), categories: words('category'), selectableFields: words('selectableField') },
    ...{ version: version ?? '', storage: has('storage'), served: !has('unserved') },
    deprecated: deprecated === undefined ? false : textOf(deprecated) || true,
    annotations: has('annotation') ? Object.fromEntries(all('annotation').map(pairOf)) : undefined,
    labels: has('label') ? Object.fromEntries(all('label').map(pairOf)) : undefined,
    more: moreOf(one('definition'), refuse),
    scale: scaleOf(one('scale'), refuse),
    printColumns: columns.length === 0 ? undefined : columns.filter(column => column !== undefined),
    hasStatus: has('statusSubresource') ? true : has('noStatusSubresource') ? false : undefined,
    others: comment.tags.filter(tag => !ofKind.has(tag.name)),
  }
}

const ofKind: ReadonlySet<string> = new Set([
  ...[
    'group',
    'kind',
    'plural',
    'singular',
    'listKind',
    'cluster',
    'shortName',
    'category',
    'annotation',
    'label',
    'definition',
    'version',
  ],
  ...['storage', 'unserved', 'deprecated', 'scale', 'printColumn', 'selectableField'],
  ...['statusSubresource', 'noStatusSubresource'],
])

const columnTakes =
  'which takes a name and a JSON path, each quoted if it has spaces, then type=, priority=, format= or description=.'

/** `Players .spec.players`, `"Up to date" .status.ready type=integer priority=1`. */
function columnOf(text: string): PrintColumn | undefined {
  const words = [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)|("(?:[^"\\]|\\.)*")|(\S+)/g)]
  const plain = words.flatMap(([, , , quoted, word]) => (quoted === undefined ? (word ?? []) : unquoted(quoted)))
  const [name, jsonPath, ...rest] = plain
  const options = Object.fromEntries(
    words.flatMap(([, key, value = '']) => (key === undefined ? [] : [[key, unquoted(value)]])),
  )
  const { priority, ...others } = options as Partial<Record<string, string>>
  const unknown = Object.keys(others).some(key => !['type', 'format', 'description'].includes(key))
  if (name === undefined || jsonPath === undefined || rest.length > 0 || unknown) return undefined
  return { name, jsonPath, ...others, ...(priority !== undefined && { priority: Number(priority) }) } as PrintColumn
}

function unquoted(text: string): string {
  return text.startsWith('"') ? JSON.parse(text) : text
}

function scaleOf(text: string | undefined, refuse: (message: string) => void): ScalePaths | undefined {
  if (text === undefined) return undefined
  const [specReplicasPath, statusReplicasPath, labelSelectorPath] = text.split(/\s+/)
  if (specReplicasPath === undefined || statusReplicasPath === undefined) {
    refuse('has @scale, which takes the paths of the replicas in spec and status, and of the selector if there is one.')
    return undefined
  }
  return { specReplicasPath, statusReplicasPath, ...(labelSelectorPath !== undefined && { labelSelectorPath }) }
}

/** Fields such as `conversion` that have no tag of their own. */
function moreOf(text: string | undefined, refuse: (message: string) => void): Readonly<Record<string, unknown>> {
  if (text === undefined) return {}
  try {
    return JSON.parse(text)
  } catch {
    refuse(`has @definition ${text}, which takes a JSON object: further fields of the definition's spec.`)
    return {}
  }
}

function pairOf(text: string): readonly [string, string] {
  const [, key = text, value = ''] = /^(\S+)\s+([\s\S]*)$/.exec(text) ?? []
  return [key, textOf(value)]
}

/** The text of a tag. A text of several lines, or one that begins with a quote, is written as JSON. */
function textOf(value: string): string {
  try {
    const read: unknown = value.startsWith('"') ? JSON.parse(value) : value
    return typeof read === 'string' ? read : value
  } catch {
    return value
  }
}
