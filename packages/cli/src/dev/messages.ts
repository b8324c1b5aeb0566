import { isRecord, texts } from '../definition/shape.ts'

/** A controller of the operator. */
export interface ControllerState {
  readonly name: string
  readonly obstacle?: string | undefined
  readonly views: readonly string[]
  readonly pending: readonly string[]
  /** A sentence for each key that does not come to rest. Missing in an older `@wherry/controller`. */
  readonly loops?: readonly string[] | undefined
}

/** A view of which the operator holds objects. */
export interface ViewState {
  readonly view: string
  readonly state: string
  readonly objects: number
  readonly receivedBytes: number
  readonly holders: readonly string[]
}

/** The watches and the queues of the operator. */
export interface OperatorState {
  readonly name: string
  readonly controllers: readonly ControllerState[]
  readonly views: readonly ViewState[]
}

/** A run of a key that has ended. */
export interface Run {
  readonly controller: string
  readonly key: string
  /** `for updated default/chess: spec.title by kubectl` */
  readonly why: string
  readonly outcome: string
  readonly error?: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tookMs: number
}

/** A request that a webhook has answered. */
export interface Admission {
  readonly webhook: string
  readonly operation: string
  readonly resource: string
  readonly object: string
  readonly user: string
  readonly isDryRun: boolean
  readonly allowed: boolean
  /** The reason of the refusal; '' if the request was allowed. */
  readonly message: string
  readonly warnings: readonly string[]
  /** A line for each change. */
  readonly changes: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tookMs: number
}

/** A message from the process of the operator. */
export type FromOperator =
  | { readonly type: 'admission'; readonly admission: Admission }
  | { readonly type: 'state'; readonly state: OperatorState }
  | { readonly type: 'run'; readonly run: Run }
  /** The API server asks these webhooks and conversions from now on. */
  | { readonly type: 'webhooks'; readonly names: readonly string[] }
  | { readonly type: 'explained'; readonly id: number; readonly text: string }

/** Whether a message is from `inside.ts`. The program of the operator may send messages of its own, of any form. */
export function isFromOperator(message: unknown): message is FromOperator {
  if (!isRecord(message)) return false
  const { type, state, run, id, text, admission, names } = message
  if (type === 'webhooks') return texts.ok(names)
  if (type === 'explained') return Number.isInteger(id) && typeof text === 'string'
  if (type === 'state') return isRecord(state) && typeof state.name === 'string' && areStates(state)
  if (type === 'admission') return isRecord(admission) && isAdmission(admission)
  return type === 'run' && isRecord(run) && isRun(run)
}

function areStates({ controllers, views }: Readonly<Record<string, unknown>>): boolean {
  const isController = (one: unknown): boolean =>
    isRecord(one) &&
    typeof one.name === 'string' &&
    texts.ok(one.views) &&
    texts.ok(one.pending) &&
    texts.ok(one.loops ?? [])
  const isView = (one: unknown): boolean =>
    isRecord(one) &&
    texts.ok([one.view, one.state]) &&
    [one.objects, one.receivedBytes].every(Number.isFinite) &&
    texts.ok(one.holders)
  return Array.isArray(controllers) && controllers.every(isController) && Array.isArray(views) && views.every(isView)
}

function isRun({
  controller,
  key,
  why,
  outcome,
  error = '',
  startedAt,
  tookMs,
}: Readonly<Record<string, unknown>>): boolean {
  return texts.ok([controller, key, why, outcome, error]) && [startedAt, tookMs].every(Number.isFinite)
}

function isAdmission(admission: Readonly<Record<string, unknown>>): boolean {
  const { webhook, operation, resource, object, user, message, warnings, changes, startedAt, tookMs } = admission
  return (
    texts.ok([webhook, operation, resource, object, user, message]) &&
    [warnings, changes].every(texts.ok) &&
    [admission.isDryRun, admission.allowed].every(one => typeof one === 'boolean') &&
    [startedAt, tookMs].every(Number.isFinite)
  )
}

/** How many characters of a text the page shows. */
const mostCharacters = 1000

/** Cuts a text for the page, because an error may have the length of a file. */
export function cut(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)} … (${text.length} characters)`
}

/** A question to the operator about a key. */
export interface Explain {
  readonly id: number
  readonly controller: string
  readonly key: string
}

/** Lets a process that waits run its program. */
export const go = 'go'
