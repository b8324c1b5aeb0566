import { isNotFound } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import {
  conditionOf,
  generationChanged,
  type NewCondition,
  type Operator,
  type ReconcileContext,
} from '@wherry/controller'
import { type PendingView, type Registrar, WatchManager } from '@wherry/watch-manager'
import type { Compiled } from './compiled-policies.ts'
import { retryMs } from './config-controller.ts'
import type { Constraint } from './constraint.ts'
import { auditConstraints, type TemplateParts } from './constraint-audit.ts'
import { failureOf } from './failure.ts'
import { PolicyError } from './policies.ts'
import {
  type ConstraintTemplate,
  constraintsOf,
  definitionName,
  definitionOf,
  definitions,
  templates,
} from './template.ts'

type Context = ReconcileContext<ConstraintTemplate, 'cluster'>

/** Why a template is not ready. */
interface Problem {
  readonly reason: string
  readonly message: string
}

/**
 * Makes a kind of constraints for each template, watches its constraints, and audits the objects that they match: when the template has
 * changed, or a constraint, or an object that the policy was about or has looked up.
 */
export function declareTemplates(operator: Operator, parts: TemplateParts): void {
  const { compiled, constraints, audit, changes } = parts
  const registrar: Registrar<Constraint> = operator.manager(WatchManager).registrar('constraints', constraints)
  operator
    .controller('template')
    .for(templates)
    .withPredicates(generationChanged) // not for the status that it writes itself
    .owns(definitions)
    .from(changes)
    .reconcile(async context => {
      const { object: template, apply, read } = context
      const resource = constraintsOf(template)
      const problems = (policy: Compiled): Problem[] => {
        const pending: PendingView | undefined = registrar.pending.find(({ view }) => view.key === resource.key)
        // A kind that is not served yet is waited for.
        const obstacle = isNotFound(pending?.reason) ? undefined : pending?.reason
        const notWatched = obstacle === undefined ? [] : [{ reason: 'NotWatched', message: obstacle.message }]
        return [...notWatched, ...(policy instanceof PolicyError ? [problemOf(policy)] : [])]
      }
      const refused = (refusal: Problem): Problem[] => [refusal, ...problems(compiled.of(template))]
      const { failure, isWaiting, isServed } = await reportRefusal(context, refused, async () => {
        const look = async (): Promise<'served' | Problem | undefined> => {
          const state = servedState(await read.get(definitions, { name: definitionName(resource.resource.plural) }))
          // Not before: the store has objects by their kind, which may be another template's.
          if (state === 'served') await registrar.add(resource)
          return state
        }
        await look()
        await apply(definitions, definitionOf(template))
        const state = await look()
        if (state === 'served') {
          return { ...(await auditConstraints(context, parts, resource, compiled.of(template))), isServed: true }
        }
        // Nobody audits with this policy: the constraints of its kind may be those of another template.
        await setAside(parts, template)
        if (state !== undefined) await report(context, notReady([state]))
        return { isWaiting: true, isServed: false }
      })
      if (!isServed) return { requeueAfterMs: retryMs }
      if (failure !== undefined) compiled.fail(template, failure)
      const isRead = registrar.watched.some(view => view.key === resource.key)
      const wrong = problems(failure ?? compiled.of(template))
      // While the constraints are being read, the condition stays as it was.
      if (wrong.length > 0) await report(context, notReady(wrong))
      else if (isRead) await report(context, { type: 'Ready', status: 'True', reason: 'Compiled' })
      // No event says when the server refuses to list a kind.
      return isWaiting || !isRead ? { requeueAfterMs: retryMs } : undefined
    })
    .onGone(async ({ key, last, client }) => {
      compiled.delete(key.name)
      changes.reads(key.name, [])
      await audit.watch(key.name, [])
      await registrar.remove(constraintsOf(last))
      // Its owner reference is for what goes while no operator runs.
      try {
        await client.delete(customResourceDefinitions, { name: definitionName(key.name) })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    })
}

/** Whether the server serves the kind that a definition defines. If it refuses that, in its words why; `undefined` until it has said so. */
function servedState(definition: CustomResourceDefinition | undefined): 'served' | Problem | undefined {
  const { conditions = [] } = definition?.status ?? {}
  const [accepted, established] = ['NamesAccepted', 'Established'].map(type => conditionOf(conditions, type))
  if (accepted?.status === 'False') return { reason: accepted.reason ?? 'NotAccepted', message: accepted.message ?? '' }
  if (established?.status === 'True') return 'served'
  if (established?.status !== 'False' || established.reason === 'Installing') return undefined
  return { reason: established.reason ?? 'NotEstablished', message: established.message ?? '' }
}

async function setAside({ compiled, changes, audit }: TemplateParts, template: ConstraintTemplate): Promise<void> {
  const name = template.metadata?.name ?? ''
  compiled.setAside(template)
  changes.reads(name, [])
  await audit.watch(name, [])
}

/** Does what may fail. A failure is named in the template, with all else that is wrong, and tried again. */
async function reportRefusal<T>(
  context: Context,
  refused: (refusal: Problem) => Problem[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = failureOf(error, context.signal)
    if (failure !== undefined) await report(context, notReady(refused(failure)))
    throw error
  }
}

/** Writes the template's condition, where it is another. */
async function report({ status }: Context, condition: NewCondition): Promise<void> {
  try {
    await status({ conditions: [condition] })
  } catch (error) {
    if (!isNotFound(error)) throw error // it has gone meanwhile
  }
}

const reasons = { TOO_SLOW: 'TooSlow', DOES_NOT_COMPILE: 'DoesNotCompile', UNKNOWN_POLICY: 'UnknownPolicy' } as const

function problemOf({ code, message }: PolicyError): Problem {
  return { reason: reasons[code], message }
}

/** The reason of the first problem, and the messages of all. */
function notReady(problems: readonly Problem[]): NewCondition {
  const [{ reason, message } = { reason: 'Unknown', message: '' }, ...others] = problems
  const more = others.map(other => `${other.reason}: ${other.message}`)
  return { type: 'Ready', status: 'False', reason, message: [message, ...more].join('; ') }
}
