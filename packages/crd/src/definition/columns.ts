import type { CustomResourceColumnDefinition } from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '../schema/json-schema.ts'
import type { PrintColumn } from './options.ts'
import { fieldAt } from './paths.ts'

/** Records a problem of an option of a definition. */
export type NoteProblem = (option: string, message: string) => void

/** The columns with their types. Records each column that the server refuses or that would always be empty. */
export function columnsOf(
  columns: readonly PrintColumn[],
  schema: StructuralSchema,
  note: NoteProblem,
): readonly CustomResourceColumnDefinition[] {
  return columns.map(column => {
    const { name, jsonPath, type, format, priority } = column
    const refuse = (message: string): void => note('printColumns', message)
    if (name === '') refuse(`has a column of ${jsonPath} without a name. Name it.`)
    if (type !== undefined && !types.includes(type))
      refuse(`has the column ${name} of the type ${type}, which is none of ${types.join(', ')}.`)
    if (format !== undefined && !formats.includes(format))
      refuse(`has the column ${name} of the format ${format}, which is none of ${formats.join(', ')}.`)
    if (priority !== undefined && !Number.isInteger(priority))
      refuse(`has the column ${name} of the priority ${priority}, which takes a whole number. 0 is always shown.`)
    const field = fieldOf(column, schema, refuse)
    return { ...column, type: type ?? columnType(field) }
  })
}

const types: readonly string[] = ['integer', 'number', 'string', 'boolean', 'date']
const formats: readonly string[] = ['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password']

/** The field that a column shows; undefined for a path that has more than names, or is refused. */
function fieldOf(
  { name, jsonPath }: PrintColumn,
  schema: StructuralSchema,
  refuse: (message: string) => void,
): StructuralSchema | undefined {
  if (!jsonPath.startsWith('.')) {
    refuse(`has the column ${name} with the path ${jsonPath}, which must begin with a dot: .spec.color.`)
    return undefined
  }
  if (jsonPath.includes('`') || !isClosed(jsonPath)) {
    refuse(`has the column ${name} with the path ${jsonPath}, which is no JSON path. The column would be empty.`)
    return undefined
  }
  if (!/^(\.[\w-]+)+$/.test(jsonPath)) return undefined
  const [, first = '', second] = jsonPath.split('.')
  const found = first === 'metadata' ? metadataField(second) : fieldAt(schema, jsonPath)
  if (found === undefined) refuse(`names ${jsonPath}, which the schema does not have.`)
  return found
}

/** Whether each bracket outside of quotes is closed by a bracket of the same kind. */
function isClosed(path: string): boolean {
  const brackets = path.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '').replaceAll(/[^[\]()]/g, '')
  const open: string[] = []
  for (const bracket of brackets) {
    const closing = closedBy[bracket]
    if (closing !== undefined) open.push(closing)
    else if (open.pop() !== bracket) return false
  }
  return open.length === 0
}

const closedBy: Readonly<Record<string, string>> = { '[': ']', '(': ')' }

/** The type of the column for a field. */
function columnType(field: StructuralSchema | undefined): string {
  if (field?.format === 'date-time') return 'date'
  return ['integer', 'number', 'boolean'].includes(field?.type ?? '') ? (field?.type as string) : 'string'
}

/** The type and the format of a field of the metadata, which is the same for all kinds. */
function metadataField(name: string | undefined): StructuralSchema | undefined {
  if (name === undefined || otherMetadata.has(name)) return {}
  if (['creationTimestamp', 'deletionTimestamp'].includes(name)) return { format: 'date-time' }
  return ['generation', 'deletionGracePeriodSeconds'].includes(name) ? { type: 'integer' } : undefined
}

const otherMetadata: ReadonlySet<string> = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'labels', 'annotations'],
  ...['ownerReferences', 'finalizers', 'managedFields'],
])
