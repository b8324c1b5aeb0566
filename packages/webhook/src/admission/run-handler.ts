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

/** What handlers run with. */
export interface HandlerParts {
  readonly environment: Environment
  readonly cache: Operator['cache']
}

/** What came of one run of a handler. */
export interface HandlerOutcome {
  readonly denials: Denials
  /** Why there is no answer; `undefined` if the handler has ended well. */
  readonly failure: { readonly thrown: unknown } | undefined
  readonly patch: readonly JsonPatchOperation[]
}

/** One for all: an error with its stack takes time. */
const answered = new Error('the request was answered')

/** Runs a handler for one request, for 0.8 of the time that the API server waits. Never rejects. */
export async function runHandler(
  definition: WebhookDefinition,
  request: AdmissionRequest,
  { environment, cache }: HandlerParts,
): Promise<HandlerOutcome> {
  const denials = new Denials()
  const end = new AbortController()
  const say = (call: 'deny' | 'warn', act: () => void): void => {
    // Thrown at what nobody awaits, it would end the process.
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
    // Without a look at the whole result: what was not drafted is the same object.
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
