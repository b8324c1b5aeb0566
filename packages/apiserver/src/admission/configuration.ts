import {
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  setOwn,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import type { Expression } from '@wherry/cel/internal/evaluator'
import type { KubeObject } from '../objects/object.ts'
import { addressOf, type HookAddress } from '../outside/hook-client.ts'
import { ruleOf } from '../selectors/match.ts'
import { compileConditions } from './conditions.ts'
import type { Criteria } from './selection.ts'

/** A webhook of a configuration, read. */
export interface Hook extends Criteria {
  readonly name: string
  /** The webhook's id. It differs from those of all other webhooks, and changes with each change of the configuration. */
  readonly id: string
  readonly address: HookAddress
  readonly ignoresFailures: boolean
  readonly timeoutSeconds: number
  readonly reviewVersions: readonly string[]
  readonly reinvoked: boolean
  readonly conditions: readonly Expression[]
}

/** Reads the webhooks of a configuration. `id` identifies the state of the configuration. */
export function hooksOf(configuration: KubeObject, id: string): Hook[] {
  return webhooksIn(configuration).map((hook, i) => ({
    name: stringAt(hook, 'name') ?? '',
    id: `${id}/${i}`,
    address: addressOf(objectAt(hook, 'clientConfig')),
    rules: objectsAt(hook, 'rules').map(ruleOf),
    equivalent: stringAt(hook, 'matchPolicy') !== 'Exact',
    namespaceSelector: objectAt(hook, 'namespaceSelector') ?? {},
    objectSelector: objectAt(hook, 'objectSelector') ?? {},
    ignoresFailures: stringAt(hook, 'failurePolicy') === 'Ignore',
    timeoutSeconds: Number(own(hook, 'timeoutSeconds') ?? 10),
    reviewVersions: stringsAt(hook, 'admissionReviewVersions'),
    reinvoked: stringAt(hook, 'reinvocationPolicy') === 'IfNeeded',
    conditions: compileConditions(hook, { params: false, authorizer: true }),
  }))
}

/** Fills in the optional fields of a configuration, as the server does. */
export function completeConfiguration(configuration: KubeObject): void {
  const given = own(configuration, 'webhooks')
  if (!Array.isArray(given)) return
  const mutating = configuration.kind === 'MutatingWebhookConfiguration'
  const completed = (given as Json[]).map(hook => (isObject(hook) ? completedHook(hook, mutating) : hook))
  setOwn(configuration, 'webhooks', completed)
}

function completedHook(given: JsonObject, mutating: boolean): JsonObject {
  const hook: JsonObject = { ...given }
  hook.failurePolicy ??= 'Fail'
  hook.matchPolicy ??= 'Equivalent'
  hook.namespaceSelector ??= {}
  hook.objectSelector ??= {}
  hook.timeoutSeconds ??= 10
  if (mutating) hook.reinvocationPolicy ??= 'Never'
  completeRules(hook, 'rules')
  const config = objectAt(hook, 'clientConfig')
  const service = objectAt(config, 'service')
  if (service !== undefined)
    hook.clientConfig = { ...config, service: { ...service, port: own(service, 'port') ?? 443 } }
  return hook
}

/** Fills in the scope of the rules in a list of an object. */
export function completeRules(parent: JsonObject, key: string): void {
  const rules = own(parent, key)
  if (!Array.isArray(rules)) return
  parent[key] = (rules as Json[]).map(rule => (isObject(rule) ? { ...rule, scope: own(rule, 'scope') ?? '*' } : rule))
}

/** The webhooks of a configuration, unchanged. */
export function webhooksIn(configuration: KubeObject): JsonObject[] {
  return objectsAt(configuration, 'webhooks')
}
