import type { Expression } from '../../cel/index.ts'
import { isObject, type Json, type JsonObject, objectAt, objectsAt, own, setOwn, stringAt } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import { addressOf, type HookAddress } from '../outside/hook-client.ts'
import { compileConditions } from './conditions.ts'

/** A rule of a webhook: which requests it is called for. */
export interface HookRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  readonly scope: string
}

/** A webhook of a configuration, read. */
export interface Hook {
  readonly name: string
  /** Tells it apart from all others, and from itself as it was before a change. */
  readonly id: string
  readonly address: HookAddress
  readonly rules: readonly HookRule[]
  readonly equivalent: boolean
  readonly namespaceSelector: JsonObject
  readonly objectSelector: JsonObject
  readonly ignoresFailures: boolean
  readonly timeoutSeconds: number
  readonly reviewVersions: readonly string[]
  readonly reinvoked: boolean
  readonly conditions: readonly Expression[]
}

/** Reads the webhooks of a configuration. `id` is the state of the configuration. */
export function hooksOf(configuration: KubeObject, id: string): Hook[] {
  return webhooksIn(configuration).map((hook, i) => ({
    name: stringAt(hook, 'name') ?? '',
    id: `${id}/${i}`,
    address: addressOf(objectAt(hook, 'clientConfig')),
    rules: objectsAt(hook, 'rules').map(rule => ({
      operations: stringsAt(rule, 'operations'),
      groups: stringsAt(rule, 'apiGroups'),
      versions: stringsAt(rule, 'apiVersions'),
      resources: stringsAt(rule, 'resources'),
      scope: stringAt(rule, 'scope') ?? '*',
    })),
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

/** Fills in what a configuration may leave out, as the server does. */
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
  const rules = own(hook, 'rules')
  if (Array.isArray(rules)) {
    hook.rules = (rules as Json[]).map(rule => (isObject(rule) ? { ...rule, scope: own(rule, 'scope') ?? '*' } : rule))
  }
  const config = objectAt(hook, 'clientConfig')
  const service = objectAt(config, 'service')
  if (service !== undefined)
    hook.clientConfig = { ...config, service: { ...service, port: own(service, 'port') ?? 443 } }
  return hook
}

/** The webhooks as they are given. */
export function webhooksIn(configuration: KubeObject): JsonObject[] {
  return objectsAt(configuration, 'webhooks')
}

/** The strings in a list of an object. */
export function stringsAt(parent: JsonObject, key: string): string[] {
  const list = own(parent, key)
  return Array.isArray(list) ? (list as Json[]).filter(one => typeof one === 'string') : []
}
