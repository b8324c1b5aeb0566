import {
  children,
  flag,
  isObject,
  type Json,
  type JsonObject,
  list,
  objectAt,
  own,
  stringAt,
} from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const notSimple = 'must be a simple json path starting with .'

function invalid(field: string, value: Json, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field }
}

function required(field: string, why: string = ''): StatusCause {
  return { reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}`, field }
}

/** The server's objections to the columns of a version. */
export function columnProblems(version: JsonObject, path: string): StatusCause[] {
  return list(version, 'additionalPrinterColumns').flatMap((column, i) => {
    const at = `${path}.additionalPrinterColumns[${i}]`
    const [name, type, format, jsonPath] = ['name', 'type', 'format', 'jsonPath'].map(key =>
      isObject(column) ? (stringAt(column, key) ?? '') : '',
    ) as [string, string, string, string]
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(columnTypes.includes(type) ? [] : [invalid(`${at}.type`, type, `must be one of ${columnTypes.join(',')}`)]),
      ...(format === '' || columnFormats.includes(format)
        ? []
        : [invalid(`${at}.format`, format, `must be one of ${columnFormats.join(',')}`)]),
      ...(jsonPath === ''
        ? [required(`${at}.JSONPath`)]
        : jsonPath.startsWith('.')
          ? []
          : [invalid(`${at}.JSONPath`, jsonPath, notSimple)]),
    ]
  })
}

/** The server's objections to the paths of a version's scale. */
export function scaleProblems(version: JsonObject, path: string): StatusCause[] {
  const scale = objectAt(objectAt(version, 'subresources'), 'scale')
  if (scale === undefined) return []
  const problems = (key: string, under: readonly string[]): StatusCause[] => {
    const at = `${path}.subresources.scale.${key}`
    const text = stringAt(scale, key)
    if (text === undefined || text === '') return key === 'labelSelectorPath' ? [] : [required(at)]
    if (!text.startsWith('.')) return [invalid(at, text, notSimple)]
    if (under.some(start => text.startsWith(`${start}.`))) return []
    return [
      invalid(at, text, `should be a json path under ${under.length === 1 ? under[0] : 'either .spec or .status'}`),
    ]
  }
  return [
    ...problems('specReplicasPath', ['.spec']),
    ...problems('statusReplicasPath', ['.status']),
    ...problems('labelSelectorPath', ['.spec', '.status']),
  ]
}

/** The maximum number of selectable fields of a version. */
const mostSelectable = 8

/** The server's objections to the selectable fields of a version. */
export function selectableProblems(version: JsonObject, path: string): StatusCause[] {
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') ?? {}
  const seen = new Set<string>()
  const causes = list(version, 'selectableFields').flatMap((field, i): StatusCause[] => {
    const at = `${path}.selectableFields[${i}].jsonPath`
    const text = isObject(field) ? (stringAt(field, 'jsonPath') ?? '') : ''
    if (text === '') return [required(at)]
    const broken = brokenPath(text)
    if (broken !== undefined) return [invalid(at, text, `is an invalid path: ${broken}`)]
    const names = text.slice(1).split('.')
    const found = names.reduce<JsonObject | undefined>((one, name) => one && below(one, name), schema)
    if (found === undefined) return [invalid(at, text, 'is an invalid path: does not refer to a valid field')]
    const causes = names[0] === 'metadata' ? [invalid(at, text, 'must not point to fields in metadata')] : []
    if (!isSelectable(found)) causes.push(invalid(at, text, selectableTypes))
    if (seen.has(text))
      causes.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(text)}`, field: at })
    seen.add(text)
    return causes
  })
  if (seen.size <= mostSelectable) return causes
  const message = `Too many: ${seen.size}: must have at most ${mostSelectable} items`
  return [...causes, { reason: 'FieldValueTooMany', message, field: `${path}.selectableFields` }]
}

const selectableTypes =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'

function isSelectable(schema: JsonObject): boolean {
  return (
    !flag(schema, 'x-kubernetes-int-or-string') &&
    ['string', 'boolean', 'integer'].includes(stringAt(schema, 'type') ?? '')
  )
}

/** The reason for which the server can't read a path; `undefined` if it can. */
function brokenPath(path: string): string | undefined {
  const [start] = /^[\w-]+/.exec(path) ?? []
  if (start !== undefined) return `expected [ or . but got: ${start}`
  return path.includes('[') ? 'array notation is not allowed' : undefined
}

function below(schema: JsonObject, name: string): JsonObject | undefined {
  const field = children(schema, 'properties').find(([one]) => one === name)?.[1]
  const values = own(schema, 'additionalProperties')
  return field ?? (isObject(values) ? values : undefined)
}

const approval = 'api-approved.kubernetes.io'
const needed = `protected groups must have approval annotation "${approval}"`
const more = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** The server's objections to a definition in a group of Kubernetes. A definition that existed before is not refused. */
export function approvalProblems(definition: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const group = stringAt(objectAt(definition, 'spec') ?? {}, 'group') ?? ''
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return []
  const state = approvalOf(definition)
  if (state === 'given' || (old !== undefined && approvalOf(old) === state)) return []
  const field = `metadata.annotations[${approval}]`
  if (state === 'missing') return [required(field, `${needed}, ${more}`)]
  const why = `${needed} with either a URL or a reason starting with "unapproved", ${more}`
  return [invalid(field, annotationOf(definition) ?? '', why)]
}

function approvalOf(definition: KubeObject): 'given' | 'missing' | 'invalid' {
  const text = annotationOf(definition)
  if (text === undefined) return 'missing'
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)
  return text.startsWith('unapproved') || isUrl ? 'given' : 'invalid'
}

function annotationOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[approval]
}
