import { type Json, type JsonObject, own } from '@wherry/cel/internal/values'
import { StatusError } from '../status.ts'

/** One requirement of a field selector. */
export interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** A parsed field selector. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  /** The name that the selector requires to be equal, if any. The store dispatches changes to such a watch by this name. */
  readonly name: string | undefined
  /** The namespace that the selector requires to be equal, if any. */
  readonly namespace: string | undefined
}

/** Parses `fieldSelector`. Throws a 400. Returns `undefined` for a text that requires nothing, which selects everything. */
export function parseFieldSelector(text: string): FieldSelector | undefined {
  if (text === '') return undefined
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const [, field = '', operator, escaped = ''] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? []
    if (operator === undefined) {
      throw StatusError.badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    }
    const value = unescaped(escaped)
    // A term without a field and without a value selects everything.
    if (field !== '' || value !== '') requirements.push({ field, equal: operator !== '!=', value })
  }
  if (requirements.length === 0) return undefined
  const equalTo = (field: string): string | undefined =>
    requirements.find(one => one.equal && one.field === field)?.value
  return { requirements, name: equalTo('metadata.name'), namespace: equalTo('metadata.namespace') }
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let term = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (char === '\\') {
      term += char + (text[++i] ?? '')
    } else if (char === ',') {
      terms.push(term)
      term = ''
    } else {
      term += char
    }
  }
  terms.push(term)
  return terms
}

/** The value that `text` means: backslashes, commas and equals signs in it have a backslash before them. Throws a 400. */
function unescaped(text: string): string {
  return text.replace(/\\(.?)|[,=]/gsu, (found: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw StatusError.badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`)
    }
    if (escaped !== '' && '\\,='.includes(escaped)) return escaped
    throw StatusError.badRequest(`invalid field selector: invalid escape sequence: ${found}`)
  })
}

/** A real server's messages for unsupported fields, by kind. All other kinds share two messages. */
const unsupported: Readonly<Record<string, (field: string) => string>> = {
  Job: field => `field label ${JSON.stringify(field)} not supported for Job`,
  ResourceSlice: field => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
}

/** Fields that a selector names differently, with the paths of their values. The first value that is not empty counts. */
const labels: Readonly<Record<string, readonly string[]>> = {
  'Job status.successful': ['status.succeeded'],
  'Event source': ['source.component', 'reportingComponent'],
}

/** The text for a value that an object does not have, if it is not ''. */
const absent: Readonly<Record<string, string>> = {
  'Node spec.unschedulable': 'false',
  'Pod spec.hostNetwork': 'false',
  'ReplicaSet status.replicas': '0',
  'ReplicationController status.replicas': '0',
  'Job status.successful': '0',
}

/** The text of `field` that a field selector compares, in an object of a built-in kind. */
export function builtinFieldValue(object: JsonObject, kind: string, field: string): string {
  const label = `${kind} ${field}`
  const found = (labels[label] ?? [field]).map(path => fieldValue(object, path)).find(text => text !== '')
  return found ?? absent[label] ?? ''
}

/** Refuses a field that can't be selected, in the server's words. `known`: the fields that can. */
export function checkFields(
  selector: FieldSelector,
  known: readonly string[],
  { custom, namespaced, kind }: { readonly custom: boolean; readonly namespaced: boolean; readonly kind: string },
): void {
  // A built-in kind without fields of its own takes a namespace even if its objects have none.
  const takesNamespace = custom ? namespaced : known.length === 0 || (namespaced && kind !== 'PodCertificateRequest')
  for (const { field } of selector.requirements) {
    if (field === 'metadata.name' || known.includes(field)) continue
    if (field === 'metadata.namespace' && takesNamespace) continue
    const wording = custom ? undefined : unsupported[kind]
    if (wording !== undefined) throw StatusError.badRequest(wording(field))
    throw StatusError.badRequest(
      custom || known.length > 0
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    )
  }
}

/** The text of `field` that a field selector compares, in any object. */
export function fieldValue(object: JsonObject, field: string): string {
  let value: Json | undefined = object
  for (const part of field.split('.')) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? own(value as JsonObject, part) : undefined
  }
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}
