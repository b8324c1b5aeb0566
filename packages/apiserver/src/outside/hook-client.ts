import { isObject, type JsonObject, objectAt, own, parseJson, stringAt } from '@wherry/cel/internal'
import type { Clock } from '../clock.ts'

/** The address of a webhook: a URL, or a Service, which is reachable only in a cluster's network. */
export interface HookAddress {
  readonly url?: string | undefined
  readonly service?:
    | { readonly namespace: string; readonly name: string; readonly path: string; readonly port: number }
    | undefined
  /** The CAs of its certificate, PEM. @default the system's */
  readonly ca?: string | undefined
}

/** A call of a webhook: a review, and the address. */
export interface HookCall {
  readonly url?: string | undefined
  readonly service?: HookAddress['service']
  /** An AdmissionReview or a ConversionReview, with its request. */
  readonly review: unknown
}

/** Answers calls of webhooks in place of https. Resolves with the review that contains the response. */
export type HookFunction = (call: HookCall) => Promise<unknown>

/** The answer of a webhook: a review, or the reason for which there is none, in the words of a real server. */
export type HookAnswer = { readonly review: JsonObject } | { readonly failure: string }

/** Calls webhooks, by https or by a function of the test. */
export class HookClient {
  readonly #clock: Clock
  readonly #call: HookFunction | undefined
  readonly #hasService: (namespace: string, name: string) => boolean

  constructor(clock: Clock, call: HookFunction | undefined, hasService: (namespace: string, name: string) => boolean) {
    this.#clock = clock
    this.#call = call
    this.#hasService = hasService
  }

  /** Sends a review to a webhook. Never rejects. */
  async send(
    address: HookAddress,
    review: JsonObject,
    timeoutSeconds: number,
    closed: AbortSignal,
  ): Promise<HookAnswer> {
    const text = JSON.stringify(review)
    const where = withTimeout(targetOf(address), timeoutSeconds)
    const late = new AbortController()
    const timer = this.#clock.timer(timeoutSeconds * 1000, () => late.abort())
    const signal = AbortSignal.any([late.signal, closed])
    // A function of the test does not see the signal, and may never settle.
    const aborted = new Promise<HookAnswer>(resolve => {
      signal.addEventListener('abort', () => resolve(posting(where, 'context deadline exceeded')), { once: true })
    })
    try {
      return await Promise.race([aborted, this.#send(address, where, text, signal)])
    } finally {
      timer.cancel()
    }
  }

  async #send(address: HookAddress, where: string, text: string, signal: AbortSignal): Promise<HookAnswer> {
    if (this.#call !== undefined) return asked(this.#call, address, text, where)
    const { service } = address
    if (service !== undefined) {
      const there = this.#hasService(service.namespace, service.name)
      const why = there
        ? 'the embedded API server is in no cluster network, and reaches webhooks by url alone'
        : `service ${JSON.stringify(service.name)} not found`
      return posting(where, why)
    }
    // Imported only here, so that a server without webhooks does not load it.
    const { post } = await import('./post.ts')
    const answer = await post(where, text, address.ca, signal)
    if ('failure' in answer) return posting(answer.at ?? where, answer.failure)
    if (answer.status < 200 || answer.status > 206) return { failure: refusal(answer) }
    try {
      const review = parseJson(answer.text)
      if (isObject(review)) return { review }
      return { failure: `couldn't get version/kind; json parse error: no object: ${answer.text.slice(0, 100)}` }
    } catch (error) {
      return { failure: `couldn't get version/kind; json parse error: ${(error as Error).message}` }
    }
  }
}

async function asked(call: HookFunction, address: HookAddress, text: string, where: string): Promise<HookAnswer> {
  const { url, service } = address
  try {
    const review = await call({ url, service, review: JSON.parse(text) as unknown })
    // Only the values that JSON can represent count.
    const value = parseJson(JSON.stringify(review) ?? 'null')
    return isObject(value) ? { review: value } : { failure: `couldn't get version/kind: no object: ${String(value)}` }
  } catch (error) {
    return posting(where, error instanceof Error ? error.message : String(error))
  }
}

function posting(where: string, why: string): HookAnswer {
  return { failure: `Post ${JSON.stringify(where)}: ${why}` }
}

function targetOf({ url, service }: HookAddress): string {
  if (service === undefined) return url ?? ''
  const { namespace, name, port, path } = service
  return `https://${name}.${namespace}.svc:${port}${path}`
}

function withTimeout(url: string, seconds: number): string {
  const { origin, pathname } = new URL(url)
  // A default port that is written in the URL is kept.
  const written = /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? origin
  return `${written}${pathname === '/' && !url.endsWith('/') ? '/' : pathname}?timeout=${seconds}s`
}

/** client-go's message about an answer that is no success. */
function refusal({
  status,
  type,
  text,
}: {
  readonly status: number
  readonly type: string
  readonly text: string
}): string {
  const said = statusMessage(text)
  if (said !== undefined) return said
  const shown = type.startsWith('text/') ? text.trim() : 'unknown'
  switch (status) {
    case 400:
      return 'the server rejected our request for an unknown reason'
    case 401:
      return 'the server has asked for the client to provide credentials'
    case 403:
      return `forbidden: ${shown}`
    case 404:
      return 'the server could not find the requested resource'
    case 405:
      return 'the server does not allow this method on the requested resource'
    case 409:
      return 'the server reported a conflict'
    case 429:
      return 'the server has received too many requests and has asked us to try again later'
    case 503:
      return 'the server is currently unable to handle the request'
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request'
    default:
      return status >= 500
        ? `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return more information`
  }
}

function statusMessage(text: string): string | undefined {
  try {
    const value = parseJson(text)
    if (isObject(value) && own(value, 'kind') === 'Status') return stringAt(value, 'message')
  } catch {
    // The text is no Status.
  }
  return undefined
}

/** Reads a `clientConfig` of a webhook configuration or a definition. */
export function addressOf(config: JsonObject | undefined): HookAddress {
  const service = objectAt(config, 'service')
  const bundle = stringAt(config, 'caBundle') ?? ''
  const port = service === undefined ? undefined : own(service, 'port')
  return {
    url: stringAt(config, 'url'),
    service:
      service === undefined
        ? undefined
        : {
            namespace: stringAt(service, 'namespace') ?? '',
            name: stringAt(service, 'name') ?? '',
            path: stringAt(service, 'path') ?? '/',
            port: typeof port === 'number' ? port : 443,
          },
    ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
  }
}
