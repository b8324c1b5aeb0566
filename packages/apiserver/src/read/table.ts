import type { Json } from '@wherry/cel/internal'
import { sortKeys } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { materialise, metadataText, type StoredText, toLatin1, withHead } from '../objects/stored.ts'
import type { Representation } from '../requests/representation.ts'
import type { Column, ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { resourceKey } from '../store/store.ts'
import { jsonPath } from './json-path.ts'
import { builtinPrinter } from './printers/index.ts'
import { nameOf, type Printer, since } from './printers/printer.ts'

interface TablePrinter extends Printer {
  readonly columns: readonly Column[]
}

const name: Column = { name: 'Name', type: 'string', format: 'name', priority: 0 }
const age: Column = { name: 'Age', type: 'date', format: '', priority: 0, path: '.metadata.creationTimestamp' }
const created: Column = { name: 'Created At', type: 'date', format: '', priority: 0 }

/** The printer of resources that the real server prints with only name and creation time. */
const createdAt: TablePrinter = {
  columns: [name, created],
  cells: object => [nameOf(object), object.metadata.creationTimestamp ?? ''],
}

/** The printer of each type. When its definition changes, a resource gets a new type, and so a new printer. */
const printers = new WeakMap<ResourceType, TablePrinter>()

function printerOf(type: ResourceType): TablePrinter {
  const known = printers.get(type)
  if (known !== undefined) return known
  const made = type.custom ? customPrinter(type.columns ?? [age]) : printerOfBuiltin(type)
  printers.set(type, made)
  return made
}

function printerOfBuiltin(type: ResourceType): TablePrinter {
  const { columns } = type
  const printer = builtinPrinter(type)
  if (printer !== undefined && columns !== undefined) return { ...printer, columns }
  if (columns === undefined || columns.some(column => column.name === 'Created At')) return createdAt
  throw StatusError.missing(`a Table of ${resourceKey(type)}`)
}

function customPrinter(columns: readonly Column[]): TablePrinter {
  const read = columns.map(column => ({ column, valueIn: jsonPath(column.path ?? '') }))
  // A real server omits the columns from the first path that it can't read.
  const bad = read.findIndex(({ valueIn }) => valueIn === undefined)
  const shown = bad === -1 ? read : read.slice(0, bad)
  return {
    columns: [name, ...shown.map(({ column }) => column)],
    cells: (object, now) => [
      nameOf(object),
      ...shown.map(({ column, valueIn }) => cell(valueIn?.(object as KubeObject & Json), column, now)),
    ],
  }
}

function cell(value: Json | undefined, column: Column, now: number): Json {
  if (value === undefined || value === null) return null
  if (column.type === 'date') {
    if (typeof value !== 'string') return null
    return Number.isNaN(Date.parse(value)) ? '<invalid>' : since(value, now)
  }
  if (column.type === 'string') return typeof value === 'object' ? JSON.stringify(sortKeys(value)) : String(value)
  if (column.type === 'boolean') return typeof value === 'boolean' ? value : null
  if (typeof value !== 'number') return null
  return column.type === 'integer' ? Math.trunc(value) : value
}

/** The part of a Table before its rows. Throws a 501 if this server has no printer for the built-in. */
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

/** The options of a Table. */
export interface TableOptions {
  readonly now: number
  /** Whether the Table includes the column definitions. */
  readonly first: boolean
  /** The part of the object that a row contains in addition to its cells. */
  readonly include: 'Metadata' | 'Object' | 'None'
  /** The name of the object that is shown as the default; `undefined` if none is. */
  readonly marked?: string | undefined
}

/** Reads the value of `includeObject`, which only a Table has. Throws the server's 400. */
export function includedOf(query: URLSearchParams, as: Representation['as']): TableOptions['include'] {
  if (as !== 'table') return 'None'
  const asked = query.get('includeObject') || 'Metadata'
  if (asked === 'Metadata' || asked === 'Object' || asked === 'None') return asked
  throw StatusError.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

/** A row: the cells, and the requested part of the object. */
export function tableRow(
  type: ResourceType,
  version: StoredText,
  { now, include, marked }: Pick<TableOptions, 'now' | 'include' | 'marked'>,
): string {
  const object = materialise(version, type.apiVersion, type.kind)
  const printer = printerOf(type)
  const conditions = printer.conditions?.(object) ?? []
  const more = conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`
  const printed = printer.cells(object, now)
  if (marked !== undefined && nameOf(object) === marked) printed[0] = `${marked} (default)`
  const cells = `"cells":${toLatin1(JSON.stringify(printed))}${more}`
  if (include === 'None') return `{${cells},"object":null}`
  const shown =
    include === 'Metadata' ? metadataText(version) : withHead(version, type.apiVersion, type.kind, type.custom)
  return `{${cells},"object":${shown}}`
}

/** The name of the object in a list that is marked as the default. */
export function markedIn(type: ResourceType, items: readonly StoredText[]): string | undefined {
  const { defaultOf } = printerOf(type)
  return defaultOf?.(items.map(item => materialise(item, type.apiVersion, type.kind)))
}

/** The cells of a bookmark's row, which are those of an empty object. */
export function emptyCells(type: ResourceType): Json[] {
  return printerOf(type).cells({ apiVersion: type.apiVersion, kind: type.kind, metadata: {} }, 0)
}

/** A Table of one row, for a get, a write or a watch event. */
export function tableOf(
  type: ResourceType,
  version: StoredText & { readonly rv: number | string },
  options: TableOptions,
): string {
  const head = options.first ? tableHead(type) : '"columnDefinitions":null'
  const metadata = version.rv === 0 ? '{}' : `{"resourceVersion":"${version.rv}"}`
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},${head},"rows":[${tableRow(type, version, options)}]}`
}
