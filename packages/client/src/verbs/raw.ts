import { type Check, checkOptions, integer, oneOf, text } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { Call, Caller } from './caller.ts'
import { maxObjectBytes } from './exchange.ts'
import { type CallOptions, callChecks } from './options.ts'

/** A request to any path of the API server. `A`: how the answer is given. */
export interface RawRequest<A extends 'json' | 'text' | 'bytes' = 'json'> extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with `/`, and has no query: `/api/v1/namespaces/arcade/pods/chess/log`. Names in it must be encoded. */
  readonly path: string
  /** The parameters of the query. @default none */
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Sent as JSON. @default none */
  readonly body?: unknown
  /** @default 'application/json' */
  readonly contentType?: string | undefined
  /** @default 'application/json'; for text and bytes, anything */
  readonly accept?: string | undefined
  /** How the answer is given: a JSON object, a text, or its bytes. @default 'json' */
  readonly as?: A | undefined
  /** The longest answer that is taken, in bytes. @default 16 MiB */
  readonly maxBytes?: number | undefined
}

/** The types of an answer by its form. */
export interface RawAnswers {
  json: object
  text: string
  bytes: Uint8Array
}

const checks: { readonly [K in keyof RawRequest]-?: Check } = {
  ...callChecks,
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: checkPath,
  query: checkQuery,
  body: () => {},
  contentType: text,
  accept: text,
  as: oneOf('json', 'text', 'bytes'),
  maxBytes: integer(1),
}

/** Sends a request like all calls: bounded in time, repeated if the server did nothing, with an `ApiError` for a refusal. */
export async function request<A extends 'json' | 'text' | 'bytes'>(
  caller: Caller,
  options: RawRequest<A>,
): Promise<RawAnswers[A]> {
  checkOptions('request', options, checks, ['method', 'path'])
  const { method, path, query = {}, body, contentType, as = 'json', maxBytes = maxObjectBytes } = options
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
  }
  const call: Call = {
    ...{ method, path, body, contentType, maxBytes },
    query: parameters.size === 0 ? '' : `?${parameters}`,
    accept: options.accept ?? (as === 'json' ? 'application/json' : '*/*'),
    sensitive: isSecret(path),
  }
  const answer = await caller.within(options, call, async bound => {
    if (as === 'json') return caller.json(call, bound)
    const { body: bytes = new Uint8Array() } = await caller.answer(call, bound)
    return as === 'text' ? Buffer.from(bytes).toString('utf8') : bytes
  })
  return answer as RawAnswers[A]
}

/** Whether the path is of a sensitive resource, so that no text of a server is reported (rule X3). */
function isSecret(path: string): boolean {
  return /\/(secrets|token|tokenreviews)(\/|$)/.test(path)
}

/** Checks that a value is only a path of this server: no query, no other host, and no segment that a proxy on the way would resolve. */
function checkPath(option: string, value: unknown): void {
  text(option, value)
  const path = value as string
  const isPath = /^(\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)+\/?$/.test(path) && !/\/(\.|%2e){1,2}(\/|$)/i.test(path)
  if (path !== '/' && !isPath)
    throw new OptionTypeError(option, 'an encoded path that begins with /, without a query', path)
}

function checkQuery(option: string, value: unknown): void {
  const isList = (one: unknown): boolean => Array.isArray(one) && one.every(item => typeof item === 'string')
  const isQuery =
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(one => typeof one === 'string' || isList(one))
  if (!isQuery) throw new OptionTypeError(option, 'an object of strings, or lists of strings', typeof value)
}
