import type { JsonPatchOperation } from '@wherry/client'
import { asError, redactError } from '@wherry/client/internal'
import type { WebhookDefinition } from '../declaration/definition.ts'
import { HandlerDeadlineError, InvalidAnswerError, NotInCacheError } from '../errors.ts'
import type { AdmissionRequest } from '../handler/request.ts'
import { type AnswerStatus, refusal } from './denials.ts'
import { type HandlerParts, runHandler } from './run-handler.ts'

/** The answer of a webhook to a request. */
export interface AdmissionAnswer {
  readonly allowed: boolean
  readonly warnings: readonly string[]
  /** The changes by a mutating webhook; empty if there are none. */
  readonly patch: readonly JsonPatchOperation[]
  /** The reason of the refusal; `undefined` if the request is allowed. */
  readonly status: AnswerStatus | undefined
}

/** An answer that refuses a request. */
export function refused(status: AnswerStatus, warnings: readonly string[] = []): AdmissionAnswer {
  return { allowed: false, warnings, patch: [], status }
}

/**
 * Answers a request by the handler of a webhook. Never rejects: if the handler throws, the failure policy decides the answer, which does not have the
 * text of the error. The error itself goes to `onError`.
 */
export async function answer(
  definition: WebhookDefinition,
  request: AdmissionRequest,
  parts: HandlerParts,
): Promise<AdmissionAnswer> {
  const mistaken = misdirected(definition, request)
  if (mistaken !== undefined) {
    count(definition, 'misdirected', parts)
    return failed(definition, 400, mistaken, [])
  }
  const { denials, failure, patch } = await runHandler(definition, request, parts)
  const { status, warnings } = denials
  if (failure !== undefined) report(definition, request, failure.thrown, parts)
  // A denial counts, even if the handler failed after it.
  if (status !== undefined) return refused(status, warnings)
  if (failure === undefined) return { allowed: true, warnings, patch, status: undefined }
  return failed(definition, ...described(failure.thrown, request), warnings)
}

/**
 * Returns an error text if the webhook is not declared for the request, because the configuration in the cluster differs from the program, or if the request
 * lacks an object.
 */
function misdirected(definition: WebhookDefinition, request: AdmissionRequest): string | undefined {
  const { view, subResource, operations } = definition
  const { group, version, plural } = view.resource
  const { resource, operation } = request
  const isAsked = resource.group === group && resource.version === version && resource.resource === plural
  if (!isAsked || (request.subResource || undefined) !== subResource) {
    const asked = [resource.group, resource.version, resource.resource, request.subResource].filter(Boolean).join('/')
    const declared = [group, version, plural, subResource].filter(Boolean).join('/')
    return `it reviews ${declared}, and was asked about ${asked}: apply the operator's webhook configuration again`
  }
  const objects: Readonly<Record<string, boolean>> = {
    CREATE: Boolean(request.object),
    UPDATE: Boolean(request.object && request.oldObject),
    DELETE: Boolean(request.oldObject),
  }
  if (!operations.some(one => one === operation))
    return `it is not declared for ${operation}: apply the operator's webhook configuration again`
  return objects[operation] === true ? undefined : `the ${operation} request lacks an object`
}

/** The answer of a webhook that has failed to review a request. */
function failed(
  { name, failurePolicy }: WebhookDefinition,
  code: number,
  why: string,
  warnings: readonly string[],
): AdmissionAnswer {
  const message = `the webhook ${name} failed: ${why}`
  if (failurePolicy === 'Fail') return refused(refusal(code, message), warnings)
  const passes = `${message} (the request passes, as failurePolicy Ignore says)`
  return { allowed: true, warnings: [...warnings, passes], patch: [], status: undefined }
}

/** The text about a failure for the client: the message of our own errors, and only the class of other errors. */
function described(thrown: unknown, { uid }: AdmissionRequest): [code: number, why: string] {
  if (thrown instanceof HandlerDeadlineError) return [504, thrown.message]
  if (thrown instanceof InvalidAnswerError || thrown instanceof NotInCacheError) return [500, thrown.message]
  const name = thrown instanceof Error ? thrown.constructor.name : ''
  const what = /^[A-Z]\w{0,63}$/.test(name) ? `its handler threw ${name}` : 'its handler threw something'
  return [500, `${what}; the log of the operator says why (request ${uid})`]
}

/** Counts a request that no handler has decided. */
function count({ name }: WebhookDefinition, reason: string, { environment }: HandlerParts): void {
  environment.metrics.count('wherry_webhook_failures_total', { webhook: name, reason })
}

/** The reason for the metric why a handler gave no answer. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof HandlerDeadlineError) return 'deadline'
  if (thrown instanceof InvalidAnswerError) return 'invalid_answer'
  return thrown instanceof NotInCacheError ? 'not_in_cache' : 'thrown'
}

function report(
  definition: WebhookDefinition,
  { uid, namespace, name: object }: AdmissionRequest,
  thrown: unknown,
  parts: HandlerParts,
): void {
  const { name, view } = definition
  const { environment } = parts
  count(definition, reasonOf(thrown), parts)
  const error = asError(redactError(view.resource, thrown), `the webhook ${name} failed`)
  const key = [namespace, object].filter(Boolean).join('/')
  environment.onError(error, { phase: `admission/${name}`, resource: view.key, ...(key !== '' && { key }) })
  environment.log('warn', `the webhook ${name} failed`, { webhook: name, request: uid, key })
}
