import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Protobuf from '../../protobuf/index.ts'
import { StatusError } from '../status.ts'
import { type BodyOf, contentTypeOf, isYaml } from './body.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'

function unsupported(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message)
}

let loaded: typeof Protobuf | undefined

/** The decoder, loaded with the first body in protobuf: at once, since a simulated clock could not wait for it. */
function decoder(): typeof Protobuf {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Protobuf
  return loaded
}

/** The source beside this one; in the built package a file of its own. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../../protobuf/index.ts' : './protobuf/index.js', here))
}

/** The request with its body in JSON, if it is in protobuf: clients that Go generates send every body so, the options of a delete too. */
export function withJsonBody<R extends BodyOf & { readonly method: string }>(request: R, isCustom: boolean): R {
  if (request.body.length === 0 || request.method === 'PATCH' || contentTypeOf(request) !== protobuf) return request
  if (isCustom) throw unsupported(unknownFormat(['application/json', 'application/yaml']))
  const { decodeProtobuf, ProtobufError } = decoder()
  try {
    const body = Buffer.from(JSON.stringify(decodeProtobuf(request.body)))
    return { ...request, body, headers: { ...request.headers, 'content-type': 'application/json' } }
  } catch (error) {
    throw error instanceof ProtobufError ? StatusError.badRequest(error.message) : error
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
