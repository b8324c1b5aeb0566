import { checkJson, fieldsOf, isFields, isSameJson, pointer } from '../admission/json.ts'
import { InvalidAnswerError } from '../errors.ts'
import type { ConvertibleObject } from './converter.ts'
import { ConversionError } from './errors.ts'

const convertible: ReadonlySet<string> = new Set(['labels', 'annotations'])

/**
 * The object for a converter's result: of the version `apiVersion`, with the metadata of the converted object. Labels and annotations are those of the result,
 * if it has any.
 *
 * @throws ConversionError for other metadata that differs, for another kind, and for a value that is no JSON
 */
export function resultOf(
  from: ConvertibleObject,
  returned: unknown,
  apiVersion: string,
  key: string,
): ConvertibleObject {
  if (!isFields(returned)) {
    const what = returned === null ? 'null' : Array.isArray(returned) ? 'a list' : typeof returned
    throw new ConversionError('NOT_JSON', key, '', `its converter returned ${what} and no object`)
  }
  try {
    checkJson(returned, '')
  } catch (error) {
    // A value that is nested too deep causes a RangeError.
    if (!(error instanceof InvalidAnswerError)) throw error
    const why = error.message.replace('the handler', 'its converter')
    throw new ConversionError('NOT_JSON', key, error.path, why)
  }
  const { apiVersion: given, kind = from.kind, metadata = {}, ...fields } = returned
  if (given !== undefined && given !== from.apiVersion && given !== apiVersion)
    throw forbidden(key, '/apiVersion', `to ${JSON.stringify(given)}: leave it out, it becomes ${apiVersion}`)
  if (kind !== from.kind)
    throw forbidden(key, '/kind', `to ${JSON.stringify(kind)}: leave it out, it stays ${from.kind}`)
  return { ...fields, apiVersion, kind: from.kind, metadata: metadataOf(from, metadata, key) }
}

function metadataOf(from: ConvertibleObject, given: unknown, key: string): ConvertibleObject['metadata'] {
  if (!isFields(given)) throw forbidden(key, '/metadata', 'to something that is no object')
  const metadata: Record<string, unknown> = { ...from.metadata }
  for (const field of fieldsOf(given)) {
    const path = pointer('/metadata', field)
    const value = given[field]
    if (!convertible.has(field)) {
      if (isSameJson(value, from.metadata[field])) continue
      throw forbidden(key, path, ': a conversion may change labels and annotations, and no other metadata')
    }
    checkTexts(value, path, key)
    metadata[field] = value
  }
  return metadata
}

/** Checks that labels or annotations have texts. The API server would refuse the whole answer without naming the field. */
function checkTexts(value: unknown, path: string, key: string): void {
  if (value === null) return
  if (!isFields(value)) throw forbidden(key, path, 'to something that is no object')
  for (const name of fieldsOf(value))
    if (typeof value[name] !== 'string') throw forbidden(key, pointer(path, name), 'to something that is no text')
}

function forbidden(key: string, path: string, how: string): ConversionError {
  const gap = how.startsWith(':') ? '' : ' '
  return new ConversionError('FORBIDDEN_CHANGE', key, path, `its converter changed ${path}${gap}${how}`)
}
