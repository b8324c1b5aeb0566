import { StatusError } from '../status.ts'
import { type BodyOf, contentTypeOf, isYaml } from './body.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'

function unsupported(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message)
}

/**
 * Refuses a body in protobuf, which a real server reads. Clients that Go generates send every body so, the options of a delete
 * too, unless their configuration says otherwise: the message says how.
 */
export function refuseProtobuf(request: BodyOf): void {
  if (request.body.length === 0 || contentTypeOf(request) !== protobuf) return
  throw unsupported(
    'the embedded API server reads no bodies in protobuf, only application/json and application/yaml: set ' +
      '`ContentType: "application/json"` in its rest.Config so that a client of client-go sends JSON, ' +
      "or start a real API server (kind: 'real')",
  )
}

/** Refuses bodies that are neither JSON nor YAML. */
export function checkContentType(request: BodyOf): void {
  const given = contentTypeOf(request)
  if (given === '' || given === 'application/json' || isYaml(request)) return
  const accepted = `application/json, application/yaml, ${protobuf}`
  throw unsupported(`the body of the request was in an unknown format - accepted media types include: ${accepted}`)
}
