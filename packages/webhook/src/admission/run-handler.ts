import type { Environment, JsonPatchOperation } from '@wherry/client'
import type { Operator } from '@wherry/controller'
import { create } from 'mutative'
import type { WebhookDefinition } from '../declaration/definition.ts'
import { AnsweredAlreadyError, HandlerDeadlineError, InvalidAnswerError } from '../errors.ts'
import type { CommonContext } from '../handler/context.ts'
import { type AdmissionRequest, userOf } from '../handler/request.ts'
import { OperatorCacheRead } from './cached-read.ts'
import { Denials } from './denials.ts'
import { checkChanges } from './forbidden-changes.ts'
import { frozen } from './frozen.ts'
import { jsonPatch } from './json-patch.ts'

/** The operator's parts that handlers run with. */
export interface HandlerParts {
  readonly environment: Environment
  readonly cache: Operator['cache']
}

/** The outcome of one run of a handler. */
export interface HandlerOutcome {
  readonly denials: Denials
  /** The error of the handler; `undefined` if the handler has succeeded. */
  readonly failure: { readonly thrown: unknown } | undefined
  readonly patch: readonly JsonPatchOperation[]
}

/** A single error for all runs, because an error with a stack takes time to make. */
const answered = new Error('the request was answered')

/** Runs a handler for one request, for at most 80 % of the time that the API server waits. Never rejects. */
export async function runHandler(
  definition: WebhookDefinition,
  request: AdmissionRequest,
  { environment, cache }: HandlerParts,
): Promise<HandlerOutcome> {
  const denials = new Denials()
  const end = new AbortController()
  const say = (call: 'deny' | 'warn', act: () => void): void => {
    // After the end nobody may await the call, so a thrown error could end the process.
    if (!end.signal.aborted) return act()
    environment.onError(new AnsweredAlreadyError(definition.name, call), { phase: 'admission' })
  }
  const deadlineMs = definition.timeoutSeconds * 800
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = environment.clock.timer(deadlineMs, () => reject(new HandlerDeadlineError(deadlineMs)))
  try {
    const namespace = request.namespace || undefined
    const object = frozen(request.object ?? undefined)
    const common: CommonContext = {
      uid: request.uid,
      name: request.name || undefined,
      namespace,
      subResource: request.subResource || undefined,
      user: frozen(userOf(request)),
      isDryRun: request.dryRun === true,
      options: (request.options ?? {}) as Readonly<Record<string, unknown>>,
      read: new OperatorCacheRead(cache, { declared: definition.reads, namespace, signal: end.signal }),
      deny: (message, options) => say('deny', () => denials.deny(message, options)),
      warn: message => say('warn', () => denials.warn(message)),
      signal: end.signal,
    }
    const reviewed = { operation: request.operation, object, old: frozen(request.oldObject ?? undefined) }
    const run = async (context: object): Promise<void> => {
      const returned: unknown = await definition.handler({ ...common, ...reviewed, ...context })
      if (returned === undefined) return
      const message = 'the handler returned a value, which has no meaning: call deny to refuse, and change the draft'
      throw new InvalidAnswerError('RETURNED_VALUE', '', message)
    }
    if (definition.type === 'validating') {
      await Promise.race([run({}), late])
      return { denials, failure: undefined, patch: [] }
    }
    const [draft, finish] = create(object as object)
    await Promise.race([run({ draft }), late])
    // Parts that the handler has not touched are the same objects, so the comparison skips them.
    const patch = denials.status === undefined ? jsonPatch(object, finish()) : []
    checkChanges(patch, common.subResource)
    return { denials, failure: undefined, patch }
  } catch (thrown) {
    return { denials, failure: { thrown }, patch: [] }
  } finally {
    timer.cancel()
    end.abort(answered)
  }
}
