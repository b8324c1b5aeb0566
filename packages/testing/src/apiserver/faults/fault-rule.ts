/** Which requests a fault is for. What is not given matches anything. */
export interface FaultMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb?: string | undefined
  /** `configmaps`, or with its group: `games.arcade.example.com`. */
  readonly resource?: string | undefined
  readonly namespace?: string | undefined
  /** The name in the path, or that a field selector asks for. */
  readonly name?: string | undefined
  /** `status`, `scale` …; `''` for the object itself. */
  readonly subresource?: string | undefined
}

/**
 * What happens to a request. Where an effect has `afterBytes`, that many bytes of the body are sent
 * first (default 0: not even the head).
 */
export type FaultEffect =
  /** The connection is closed and nothing is answered. With `after: true` the request is carried out first, and only its answer lost. */
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
  /** A watch gets this ERROR event after `afterEvents` events (default 0), then the clean end. */
  | {
      readonly kind: 'error-event'
      readonly code: number
      readonly reason?: string | undefined
      readonly message?: string | undefined
      readonly retryAfterSeconds?: number | undefined
      readonly afterEvents?: number | undefined
    }
  /** A watch gets this line, as it is, after `afterEvents` events (default 0). */
  | { readonly kind: 'line'; readonly text: string; readonly afterEvents?: number | undefined }
  /** Every event of a watch is sent `times` times (default 2). */
  | { readonly kind: 'duplicate'; readonly times?: number | undefined }
  /** No byte more, and no end, until the client gives up. */
  | { readonly kind: 'hang'; readonly afterBytes?: number | undefined }
  /** The body comes at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** A `Warning: 299` header beside the answer. */
  | { readonly kind: 'warning'; readonly text: string }

/** A fault: plain data, so that it works on an isolated server too. */
export interface FaultRule {
  readonly match?: FaultMatch | undefined
  /** Only the nth matching request (1 is the first). Default: all of them. */
  readonly nth?: number | undefined
  /** How many requests it is for. Default: 1 with `nth`, else no bound. */
  readonly times?: number | undefined
  readonly effect: FaultEffect
}

const kinds: ReadonlySet<string> = new Set<FaultEffect['kind']>([
  'drop',
  'goaway',
  'rst',
  'break',
  'reset',
  'truncate',
  'delay',
  'status',
  'expired',
  'error-event',
  'line',
  'duplicate',
  'hang',
  'slow',
  'warning',
])

/** Refuses a rule that could never do what it says. Throws a `TypeError` or `RangeError`. */
export function checkFaultRule(rule: FaultRule): void {
  if (!kinds.has(rule.effect.kind)) throw new TypeError(`fault: unknown effect ${JSON.stringify(rule.effect.kind)}`)
  const positive = (name: string, value: number | undefined): void => {
    if (value !== undefined && !(value > 0))
      throw new RangeError(`fault: ${name} takes a positive number, got ${value}`)
  }
  positive('nth', rule.nth)
  positive('times', rule.times)
  const { effect } = rule
  if (effect.kind === 'slow') positive('bytesPerSecond', effect.bytesPerSecond)
  if (effect.kind === 'duplicate') positive('times', effect.times)
  if (effect.kind === 'delay' && !(effect.ms >= 0)) throw new RangeError(`fault: ms takes 0 or more, got ${effect.ms}`)
}
