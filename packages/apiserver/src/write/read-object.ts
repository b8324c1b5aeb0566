import type { JsonObject } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { asObject, type Origin, patchTypeOf } from './body.ts'
import { type FieldValidation, readBySchema, reportFields } from './fields.ts'
import { parsePatch, strategicType } from './patch.ts'
import type { WriteRequest } from './write-request.ts'

/**
 * Reads the object of a request, as an object of the request's resource. Warns of fields that the resource does not have, or refuses them, depending on
 * `validation`. Throws the server's 400 if the value can't be an object of the resource.
 */
export function readObject(
  value: JsonObject,
  write: Pick<WriteRequest, 'request' | 'responder' | 'target' | 'type' | 'verb' | 'strategyOf'>,
  validation: FieldValidation,
): KubeObject {
  const { type } = write
  const { object, unknown } = asObject(value, write, originOf(write))
  if (type.schema !== undefined) return readBySchema(object, write, validation)
  reportFields(unknown, value, write, validation)
  return object
}

/** The origin of the object in a create, an update or a patch. */
export function originOf({ request, verb }: Pick<WriteRequest, 'request' | 'verb'>): Origin {
  if (verb !== 'patch') return 'body'
  return patchTypeOf(request) === strategicType ? { strategic: () => parsePatch(request.body) } : 'patch'
}
