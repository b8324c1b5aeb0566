import { OptionTypeError } from './option.ts'

/**
 * Checks the common fields of an object before it is written. Values that TypeScript forbids and JSON allows, such as
 * `metadata: null` or a number as a label, are an error with the path. `undefined` counts as absent.
 *
 * @throws OptionTypeError
 */
export function checkWritten(option: string, object: unknown): void {
  const { metadata, status, stringData } = mapOf(option, object, 'an object to write')
  if (metadata !== undefined) {
    const { labels, annotations, ownerReferences, finalizers } = mapOf(`${option}.metadata`, metadata, 'an object')
    textsOf(`${option}.metadata.labels`, labels)
    textsOf(`${option}.metadata.annotations`, annotations)
    listOf(`${option}.metadata.ownerReferences`, ownerReferences, mapOf)
    listOf(`${option}.metadata.finalizers`, finalizers, textOf)
  }
  textsOf(`${option}.stringData`, stringData)
  if (status !== undefined) checkStatus(`${option}.status`, status)
}

/** Checks the value of a status: its conditions, which are alike in all statuses. @throws OptionTypeError */
export function checkStatus(option: string, status: unknown): void {
  const { conditions } = mapOf(option, status, 'an object')
  listOf(`${option}.conditions`, conditions, (path, condition) => {
    const { type, status: is } = mapOf(path, condition, 'a condition')
    textOf(`${path}.type`, type)
    textOf(`${path}.status`, is)
  })
}

function mapOf(option: string, value: unknown, takes = 'an object'): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrong(option, takes, value)
  return value as Readonly<Record<string, unknown>>
}

function listOf(option: string, value: unknown, check: (path: string, item: unknown) => unknown): void {
  if (value === undefined) return
  if (!Array.isArray(value)) throw wrong(option, 'a list', value)
  value.forEach((item, index) => {
    check(`${option}[${index}]`, item)
  })
}

function textsOf(option: string, value: unknown): void {
  if (value === undefined) return
  for (const [name, text] of Object.entries(mapOf(option, value, 'a map of texts'))) {
    if (text !== undefined) textOf(`${option}.${name}`, text)
  }
}

function textOf(option: string, value: unknown): void {
  if (typeof value !== 'string') throw wrong(option, 'a text', value)
}

/** The error for a wrong value. It has the type of the value, and not the value, which may be a secret. */
function wrong(option: string, takes: string, value: unknown): OptionTypeError {
  const got = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return new OptionTypeError(option, takes, got)
}
