import type { SentHeaders } from './target.ts'

/** One request and what is kept of its answer. */
export interface RequestStep {
  readonly do: 'request'
  readonly method: string
  readonly path: string
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: SentHeaders | undefined
  /**
   * Variables for later steps, by where they are in the answer's body: `{ rv: 'metadata.resourceVersion' }`. What is not
   * there is an error, but for a path that begins with `?`.
   */
  readonly save?: Readonly<Record<string, string>> | undefined
  /** Part of the setting: the answer is not compared, but it must be a success. */
  readonly quiet?: boolean | undefined
  /** Whether the answer's text is compared, and with it the order of its fields. */
  readonly asText?: boolean | undefined
}

/** Asks again and again until the answer is as said. Not compared. */
export interface WaitStep {
  readonly do: 'wait'
  readonly path: string
  readonly headers?: SentHeaders | undefined
  readonly for: Expected
}

/** Every part that is given must hold. */
export interface Expected {
  readonly status?: number | undefined
  /** How many items there are. */
  readonly items?: number | undefined
  /** A value in the body, by path: `['metadata.name', 'a']`; `undefined` where nothing is to be. */
  readonly at?: readonly [path: string, value: unknown] | undefined
  /** The answer's text contains this. */
  readonly contains?: string | undefined
  /** The answer's text does not contain this. */
  readonly lacks?: string | undefined
  /** A condition of this type is `True`. */
  readonly condition?: string | undefined
}

/** Opens a watch; what it says is compared where it is collected. */
export interface WatchStep {
  readonly do: 'watch'
  readonly id: string
  readonly path: string
  readonly headers?: SentHeaders | undefined
}

/** Waits until a watch has `events` in all, has spoken of an object, or has ended, and compares all that it said by then. */
export interface CollectStep {
  readonly do: 'collect'
  readonly id: string
  readonly until: { readonly events: number } | { readonly name: string } | 'end'
}

/** What a test of the server itself does beside requests. */
export interface ControlStep {
  readonly do: 'control'
  readonly what: 'compact' | 'restart'
}

/**
 * Waits for the next second to begin. Managed fields have times in whole seconds, and some writes change nothing
 * but the time: it stands before those.
 */
interface SecondStep {
  readonly do: 'second'
}

export type Step = RequestStep | WaitStep | WatchStep | CollectStep | ControlStep | SecondStep

/**
 * What both servers are asked, in order, as data. In paths, bodies and headers `{ns}` is a namespace of the scenario's
 * own, `{g}` an API group of its own, and `{x}` what a step saved as `x`.
 */
export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
  /**
   * Where the answers may differ: paths into `[answer, …]` such as `*.body.status.conditions`; `*` is any one part.
   * Each is a difference that the table in the package's README explains.
   */
  readonly except?: readonly string[] | undefined
  /** The scenario restarts or compacts the servers, so nothing else may run beside it. */
  readonly alone?: boolean | undefined
}

type More = Pick<RequestStep, 'headers' | 'save' | 'quiet' | 'asText'>

export function request(method: string, path: string, body?: unknown, more: More = {}): RequestStep {
  return { do: 'request', method, path, ...(body === undefined ? {} : { body }), ...more }
}
export const get = (path: string, more: More = {}): RequestStep => request('GET', path, undefined, more)
export const post = (path: string, body?: unknown, more: More = {}): RequestStep => request('POST', path, body, more)
export const put = (path: string, body?: unknown, more: More = {}): RequestStep => request('PUT', path, body, more)
export const del = (path: string, body?: unknown, more: More = {}): RequestStep => request('DELETE', path, body, more)
const patch = (type: string, path: string, body: unknown, more: More): RequestStep =>
  request('PATCH', path, body, { ...more, headers: { 'content-type': type, ...more.headers } })
export const merge = (path: string, body: unknown, more: More = {}): RequestStep =>
  patch('application/merge-patch+json', path, body, more)
export const jsonPatch = (path: string, body: unknown, more: More = {}): RequestStep =>
  patch('application/json-patch+json', path, body, more)
/** A server-side apply by `manager`. */
export const apply = (manager: string, path: string, body: unknown, more: More = {}): RequestStep =>
  patch('application/apply-patch+yaml', `${path}${path.includes('?') ? '&' : '?'}fieldManager=${manager}`, body, more)
export const strategic = (path: string, body: unknown, more: More = {}): RequestStep =>
  patch('application/strategic-merge-patch+json', path, body, more)
/** A request of the setting. */
export const quietly = (step: RequestStep): RequestStep => ({ ...step, quiet: true })
export const wait = (path: string, expected: Expected, headers?: SentHeaders): WaitStep => ({
  do: 'wait',
  path,
  headers,
  for: expected,
})
export const watch = (id: string, path: string, headers?: SentHeaders): WatchStep => ({
  do: 'watch',
  id,
  path,
  headers,
})
export const nextSecond: SecondStep = { do: 'second' }
export const collect = (id: string, until: CollectStep['until']): CollectStep => ({ do: 'collect', id, until })
export const as = (user: string, ...groups: string[]): SentHeaders => ({
  'impersonate-user': user,
  ...(groups.length > 0 ? { 'impersonate-group': groups } : {}),
})
