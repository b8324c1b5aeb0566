import type { Json, JsonObject } from '../objects/json.ts'
import { isObject, own } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise, metadataText, type StoredText, toLatin1, withHead } from '../objects/stored.ts'
import type { Column, ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { resourceKey } from '../store/store.ts'

const name: Column = { name: 'Name', type: 'string', format: 'name', priority: 0 }
const age: Column = { name: 'Age', type: 'string', format: '', priority: 0 }
const text = (label: string, type = 'string'): Column => ({ name: label, type, format: '', priority: 0 })

interface Printer {
  readonly columns: readonly Column[]
  cells(object: KubeObject, now: number): Json[]
}

const size = (object: KubeObject, ...fields: string[]): number =>
  fields.reduce((sum, field) => {
    const value = own(object, field)
    return sum + (isObject(value) ? Object.keys(value).length : Array.isArray(value) ? value.length : 0)
  }, 0)

/** The built-ins whose printers are here. Others with columns of their own are refused, not guessed at. */
const printers: Readonly<Record<string, Printer>> = {
  configmaps: {
    columns: [name, text('Data'), age],
    cells: (object, now) => [object.metadata.name ?? '', size(object, 'data', 'binaryData'), ageOf(object, now)],
  },
  secrets: {
    columns: [name, text('Type'), text('Data'), age],
    cells: (object, now) => [
      object.metadata.name ?? '',
      (own(object, 'type') ?? '') as string,
      size(object, 'data'),
      ageOf(object, now),
    ],
  },
  namespaces: {
    columns: [name, text('Status'), age],
    cells: (object, now) => [object.metadata.name ?? '', at(object, '.status.phase') ?? '', ageOf(object, now)],
  },
  serviceaccounts: {
    columns: [name, text('Secrets'), age],
    cells: (object, now) => [object.metadata.name ?? '', size(object, 'secrets'), ageOf(object, now)],
  },
  'leases.coordination.k8s.io': {
    columns: [name, text('Holder'), age],
    cells: (object, now) => [object.metadata.name ?? '', at(object, '.spec.holderIdentity') ?? '', ageOf(object, now)],
  },
}

/** Resources that the real server prints with name and creation time alone. */
const createdAt: Printer = {
  columns: [name, { name: 'Created At', type: 'date', format: '', priority: 0 }],
  cells: object => [object.metadata.name ?? '', object.metadata.creationTimestamp ?? ''],
}

function printerOf(type: ResourceType): Printer {
  const known = printers[resourceKey(type)]
  if (known !== undefined) return known
  if (!type.custom) {
    if (type.columns === undefined || type.columns.some(column => column.name === 'Created At')) return createdAt
    throw StatusError.missing(`a Table of ${resourceKey(type)}`)
  }
  const more = type.columns ?? [{ ...age, type: 'date', path: '.metadata.creationTimestamp' }]
  return {
    columns: [name, ...more],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...more.map(column => cell(at(object, column.path ?? ''), column, now)),
    ],
  }
}

function cell(value: Json | undefined, column: Column, now: number): Json {
  if (value === undefined || value === null) return null
  if (column.type === 'date') return typeof value === 'string' ? since(value, now) : '<unknown>'
  if (column.type === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (column.type === 'boolean') return typeof value === 'boolean' ? value : null
  if (typeof value !== 'number') return null
  return column.type === 'integer' ? Math.trunc(value) : value
}

/** The value at a simple JSONPath: `.a.b[0].c`, `.metadata.annotations.a\.b`. */
export function at(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object
  for (const match of path.matchAll(/\.((?:\\.|[^.[\]\\])+)|\[(\d+)\]|\['([^']*)'\]/g)) {
    const key = match[1]?.replace(/\\(.)/g, '$1') ?? match[3]
    if (key !== undefined) value = isObject(value) ? own(value, key) : undefined
    else value = Array.isArray(value) ? (value[Number(match[2])] as Json | undefined) : undefined
  }
  return value
}

function ageOf(object: KubeObject, now: number): string {
  return since(object.metadata.creationTimestamp ?? '', now)
}

/** A duration as kubectl shows it: `5s`, `3m20s`, `47h`, `3d`. */
function since(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000)
  if (Number.isNaN(seconds) || seconds < -1) return seconds < -1 ? '<invalid>' : '<unknown>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`
  if (days < 730) return `${days}d`
  return `${Math.floor(days / 365)}y`
}

/** The part of a Table before its rows. Throws a 501 for a built-in whose printer is not here. */
export function tableHead(type: ResourceType): string {
  const definitions = printerOf(type).columns.map(({ name, type, format, priority, description }) => ({
    name,
    type,
    format,
    description: description ?? '',
    priority,
  }))
  return toLatin1(`"columnDefinitions":${JSON.stringify(definitions)}`)
}

/** How a Table is to be printed. */
export interface TableOptions {
  readonly now: number
  /** Whether it begins with the column definitions. */
  readonly first: boolean
  /** What a row holds beside its cells. */
  readonly include: 'Metadata' | 'Object' | 'None'
}

/** What `includeObject` asks for. Throws the server's 400. */
export function includedOf(query: URLSearchParams): TableOptions['include'] {
  const asked = query.get('includeObject') || 'Metadata'
  if (asked === 'Metadata' || asked === 'Object' || asked === 'None') return asked
  throw StatusError.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

/** One row: the cells, and the object as far as it is asked for. */
export function tableRow(
  type: ResourceType,
  version: StoredText,
  { now, include }: Pick<TableOptions, 'now' | 'include'>,
): string {
  const object = materialise(version, type.apiVersion, type.kind)
  const cells = toLatin1(JSON.stringify(printerOf(type).cells(object, now)))
  if (include === 'None') return `{"cells":${cells},"object":null}`
  const shown =
    include === 'Metadata' ? metadataText(version) : withHead(version, type.apiVersion, type.kind, type.custom)
  return `{"cells":${cells},"object":${shown}}`
}

/** The cells that a bookmark's row has: those of an object without anything. */
export function emptyCells(type: ResourceType): Json[] {
  return printerOf(type).cells({ apiVersion: type.apiVersion, kind: type.kind, metadata: {} }, 0)
}

/** A Table of one row, as a get, a write and a watch event give it. */
export function tableOf(
  type: ResourceType,
  version: StoredText & { readonly rv: number | string },
  options: TableOptions,
): string {
  const head = options.first ? tableHead(type) : '"columnDefinitions":null'
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"${version.rv}"},${head},"rows":[${tableRow(type, version, options)}]}`
}
