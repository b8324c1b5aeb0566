import { protobufCodec } from '../protobuf/loaded.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { type BodyOf, contentTypeOf, isYaml } from './body.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'

function unsupported(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message)
}

/**
 * Returns the request with a protobuf body converted to JSON. Clients that Go generates send every body in protobuf, even the options of a delete. Throws the
 * server's 400 for bytes that are no protobuf. A real server closes the connection if a custom resource is in protobuf; this server answers 415.
 */
export function withJsonBody<R extends BodyOf & { readonly method: string }>(request: R, type: ResourceType): R {
  const { method, body, headers } = request
  if (body.length === 0 || method === 'PATCH' || contentTypeOf(request) !== protobuf) return request
  if (type.custom && method !== 'DELETE') throw unsupported(unknownFormat(['application/json', 'application/yaml']))
  const { decodeProtobuf, ProtobufError } = protobufCodec()
  try {
    const inJson = Buffer.from(JSON.stringify(decodeProtobuf(body)))
    return { ...request, body: inJson, headers: { ...headers, 'content-type': 'application/json' } }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    const shown = Buffer.from(body.subarray(0, 30)).toString('hex') + (body.length > 30 ? ' ...' : '')
    throw StatusError.badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): ${error.message} (${shown})`,
    )
  }
}

/** Refuses bodies that are neither JSON nor YAML. */
export function checkContentType(request: BodyOf): void {
  const given = contentTypeOf(request)
  if (given === '' || given === 'application/json' || isYaml(request)) return
  throw unsupported(unknownFormat(['application/json', 'application/yaml', protobuf]))
}

function unknownFormat(accepted: readonly string[]): string {
  return `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
}
