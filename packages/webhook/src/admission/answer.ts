import type { JsonPatchOperation } from '@wherry/client'
import { asError, redactError } from '@wherry/client/internal'
import type { WebhookDefinition } from '../declaration/definition.ts'
import { HandlerDeadlineError, InvalidAnswerError, NotInCacheError } from '../errors.ts'
import type { AdmissionRequest } from '../handler/request.ts'
import { type AnswerStatus, refusal } from './denials.ts'
import { type HandlerParts, runHandler } from './run-handler.ts'

/** What a webhook answers to one request. */
export interface AdmissionAnswer {
  readonly allowed: boolean
  readonly warnings: readonly string[]
  /** What a mutating webhook changes; empty if nothing. */
  readonly patch: readonly JsonPatchOperation[]
  /** Why the request is refused; `undefined` if it is allowed. */
  readonly status: AnswerStatus | undefined
}

/** An answer that refuses a request. */
export function refused(status: AnswerStatus, warnings: readonly string[] = []): AdmissionAnswer {
  return { allowed: false, warnings, patch: [], status }
}

/**
 * Answers a request by the handler of a webhook. Never rejects: what the handler throws becomes the answer that the failure policy asks for, without
 * its text, and goes to `onError` as it is.
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
  // A denial was meant, whatever came after it.
  if (status !== undefined) return refused(status, warnings)
  if (failure === undefined) return { allowed: true, warnings, patch, status: undefined }
  return failed(definition, ...described(failure.thrown, request), warnings)
}

/** Says why a request is none that the webhook is declared for: the configuration in the cluster is then another one. */
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

/** The answer of a webhook that can't say whether a request is right. */
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

/** What a client may know of a failure: our own errors as they are, of others the class. */
function described(thrown: unknown, { uid }: AdmissionRequest): [code: number, why: string] {
  if (thrown instanceof HandlerDeadlineError) return [504, thrown.message]
  if (thrown instanceof InvalidAnswerError || thrown instanceof NotInCacheError) return [500, thrown.message]
  const name = thrown instanceof Error ? thrown.constructor.name : ''
  const what = /^[A-Z]\w{0,63}$/.test(name) ? `its handler threw ${name}` : 'its handler threw something'
  return [500, `${what}; the log of the operator says why (request ${uid})`]
}

/** Counts requests that no handler has decided. */
function count({ name }: WebhookDefinition, reason: string, { environment }: HandlerParts): void {
  environment.metrics.count('wherry_webhook_failures_total', { webhook: name, reason })
}

/** Why a handler gave no answer, as the metric has it. */
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
