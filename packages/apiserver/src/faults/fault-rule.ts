import { anything, checkFields, flag, number, oneOf, required, type Taken, text, whole } from '../option-check.ts'

/** The criteria by which a fault matches requests. An absent field matches anything. */
export interface FaultMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for a path without a resource, the method in lower case. */
  readonly verb?: string | undefined
  /** `configmaps`, or with its group: `games.arcade.example.com`. */
  readonly resource?: string | undefined
  readonly namespace?: string | undefined
  /** The name in the path or in a field selector. */
  readonly name?: string | undefined
  /** `status`, `scale` …; `''` for the object itself. */
  readonly subresource?: string | undefined
}

/**
 * The effect of a fault on a request. With `afterBytes`, that number of bytes of the body is sent first (default 0: not even the head). A shorter body ends as
 * it would without the fault.
 */
export type FaultEffect =
  /** The connection is closed without an answer. With `after: true` the request is carried out first, and only its answer is lost. */
  | { readonly kind: 'drop'; readonly after?: boolean | undefined }
  /** GOAWAY on the request's connection; the request itself is answered. HTTP/1.1: `connection: close`. */
  | { readonly kind: 'goaway' }
  /** RST_STREAM with `code` (default 2, INTERNAL_ERROR). */
  | { readonly kind: 'rst'; readonly code?: number | undefined; readonly afterBytes?: number | undefined }
  /** An end without END_STREAM or last chunk: the connection closes with all its streams. */
  | { readonly kind: 'break'; readonly afterBytes?: number | undefined }
  /** As `break`, but by a TCP reset. */
  | { readonly kind: 'reset'; readonly afterBytes?: number | undefined }
  /** A clean end in the middle of a line: after `afterBytes` bytes (default 20), never right behind a newline. */
  | { readonly kind: 'truncate'; readonly afterBytes?: number | undefined }
  /** The answer begins `ms` milliseconds late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** This HTTP status with a Status body, or with `plain` a text body. The request is not carried out. */
  | {
      readonly kind: 'status'
      readonly code: number
      readonly reason?: string | undefined
      readonly message?: string | undefined
      readonly retryAfterSeconds?: number | undefined
      readonly plain?: boolean | undefined
    }
  /** 410: an HTTP Status for all but watches, an ERROR event for a watch. */
  | { readonly kind: 'expired' }
  /** A watch receives this ERROR event after `afterEvents` events (default 0), and then ends cleanly. */
  | {
      readonly kind: 'error-event'
      readonly code: number
      readonly reason?: string | undefined
      readonly message?: string | undefined
      readonly retryAfterSeconds?: number | undefined
      readonly afterEvents?: number | undefined
    }
  /** A watch receives this line, unchanged, after `afterEvents` events (default 0). */
  | { readonly kind: 'line'; readonly text: string; readonly afterEvents?: number | undefined }
  /** Every event of a watch is sent `times` times (default 2). */
  | { readonly kind: 'duplicate'; readonly times?: number | undefined }
  /** The rest of the body is never sent, until the client gives up. */
  | { readonly kind: 'hang'; readonly afterBytes?: number | undefined }
  /** The body is sent at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** A `Warning: 299` header in addition to the answer. */
  | { readonly kind: 'warning'; readonly text: string }

/**
 * A fault, as plain data, so that isolated servers accept it too. A fault that only a watch can show (`error-event`, `line`, `duplicate`) applies to watches
 * only: it neither hits nor counts other requests.
 */
export interface FaultRule {
  readonly match?: FaultMatch | undefined
  /** The first matching request that the fault affects (1 is the first). With `times`, the fault also affects the requests that follow. @default all */
  readonly nth?: number | undefined
  /** The maximum number of requests that the fault affects. @default 1 with `nth`, otherwise unlimited */
  readonly times?: number | undefined
  readonly effect: FaultEffect
}

const cut = { afterBytes: whole() }
const event = { afterEvents: whole() }
const refusal = { reason: text, message: text, retryAfterSeconds: whole() }
/** A rate of 0 would be a hang. */
const rate: Taken = { takes: 'a positive number', ok: value => Number.isFinite(value) && (value as number) > 0 }

/** The fields of each effect, in addition to its kind. */
const effects: Readonly<Record<FaultEffect['kind'], Readonly<Record<string, Taken>>>> = {
  drop: { after: flag },
  goaway: {},
  rst: { ...cut, code: whole() },
  break: cut,
  reset: cut,
  truncate: cut,
  delay: { ms: required(number()) },
  status: { ...refusal, code: required(whole(200, 599)), plain: flag },
  expired: {},
  'error-event': { ...refusal, ...event, code: required(whole()) },
  line: { ...event, text: required(text) },
  duplicate: { times: whole(1) },
  hang: cut,
  slow: { bytesPerSecond: required(rate) },
  warning: { text: required(text) },
}

const match: Readonly<Record<keyof FaultMatch, Taken>> = {
  verb: oneOf(
    ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
    // The verbs of paths without a resource.
    ...['post', 'put', 'head', 'options'],
  ),
  resource: text,
  namespace: text,
  name: text,
  subresource: text,
}

/** Whether this effect is possible only for a watch. */
export function isForWatches({ kind }: FaultEffect): boolean {
  return kind === 'error-event' || kind === 'line' || kind === 'duplicate'
}

/** Refuses a rule that could never have its effect: a `TypeError`, or a `RangeError` for a number out of its bounds, with the code `ERR_WHERRY_OPTION`. */
export function checkFaultRule(rule: FaultRule): void {
  checkFields('fault', rule, { match: anything, nth: whole(1), times: whole(1), effect: required(anything) })
  if (rule.match !== undefined) checkFields('fault: match', rule.match, match)
  const kind: unknown = rule.effect?.kind
  const kinds = oneOf(...Object.keys(effects))
  if (!kinds.ok(kind)) checkFields('fault: effect', { kind }, { kind: required(kinds) })
  checkFields('fault: effect', rule.effect, { kind: kinds, ...effects[rule.effect.kind] })
  if (isForWatches(rule.effect))
    checkFields(`fault: match of ${kind}`, { verb: rule.match?.verb }, { verb: oneOf('watch') })
}
