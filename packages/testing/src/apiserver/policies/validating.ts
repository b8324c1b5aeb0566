import type { Expression, Input } from '../../cel/index.ts'
import { type JsonObject, objectAt } from '../objects/json.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import type { Registry } from '../resources/registry.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { cel } from '../schema/rules.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import { type InputHost, inputOf } from '../webhooks/input.ts'
import type { Attributes } from '../webhooks/review.ts'
import { selectorsMatch, versionByRules } from '../webhooks/selection.ts'
import { type Param, paramsOf, paramType } from './params.ts'
import { type Binding, type Resources, readBinding, readPolicy, type ValidatingPolicy } from './policy.ts'

/** What policies need of the server. */
interface PolicyHost extends InputHost {
  readonly store: Store
  readonly registry: Registry
}

/** What a policy has against a request. */
interface Refusal {
  readonly message: string
  readonly reason: string
  /** It holds whatever actions the binding asks for. */
  readonly always?: boolean | undefined
}

/** Which policy and binding a refusal is by. */
interface Denied extends Refusal {
  readonly policy: string
  readonly binding: string | undefined
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }

/** Has ValidatingAdmissionPolicies and their bindings say what they have against a write. Nothing is audited here. */
export class ValidatingPolicies {
  readonly #host: PolicyHost
  readonly #types: { readonly policies: ResourceType; readonly bindings: ResourceType }
  readonly #read = new WeakMap<Version, ValidatingPolicy | Binding>()

  constructor(host: PolicyHost) {
    const type = (plural: string): ResourceType => host.registry.resolve('admissionregistration.k8s.io', 'v1', plural)
    this.#host = host
    this.#types = {
      policies: type('validatingadmissionpolicies'),
      bindings: type('validatingadmissionpolicybindings'),
    }
  }

  /** Whether no policy is bound. */
  get idle(): boolean {
    return this.#host.store.collection(this.#types.bindings).size === 0
  }

  /** Throws the first refusal. `warn` is told of what the request's sender is warned of. */
  validate(asked: Attributes, warn: (text: string) => void): void {
    if (this.idle) return
    const denied = this.#policies().flatMap(([policy, bindings]) => this.#refusals(policy, bindings, asked, warn))
    const [first] = denied
    if (first !== undefined) throw refused(first, asked)
  }

  #refusals(
    policy: ValidatingPolicy,
    bindings: readonly Binding[],
    asked: Attributes,
    warn: (text: string) => void,
  ): readonly Denied[] {
    const at = this.#selected(policy.resources, asked)
    if (at === undefined) return []
    const wrong = (what: string, why: string, binding?: string): Denied[] =>
      policy.ignoresFailures
        ? []
        : [{ message: `failed to configure ${what}: ${why}`, reason: 'Invalid', policy: policy.name, binding }]
    const type = paramType(policy.paramKind, this.#host.registry)
    if (typeof type === 'string') return wrong('policy', type)
    return bindings.flatMap(binding => {
      if (binding.resources !== undefined && this.#selected(binding.resources, asked) === undefined) return []
      const params = paramsOf(type, binding.paramRef, asked.namespace, this.#host)
      if (typeof params === 'string') return wrong('binding', params, binding.name)
      const refusals = params.flatMap(param => evaluate(policy, this.#input(asked, at, param)))
      if (binding.actions.includes('Warn')) {
        for (const { message, always } of refusals) {
          const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`
          if (always !== true) warn(`Validation failed for ${by}: ${message}`)
        }
      }
      const denies = binding.actions.includes('Deny')
      return refusals
        .filter(({ always }) => denies || always === true)
        .map(refusal => ({ ...refusal, policy: policy.name, binding: binding.name }))
    })
  }

  #selected(resources: Resources, asked: Attributes): ResourceType | undefined {
    if (!selectorsMatch(resources, asked, this.#host)) return undefined
    const { excluded, equivalent } = resources
    if (versionByRules({ rules: excluded, equivalent }, asked, this.#host) !== undefined) return undefined
    return resources.rules.length === 0 ? asked.type : versionByRules(resources, asked, this.#host)
  }

  #input(asked: Attributes, at: ResourceType, param: Param): Input {
    const input = inputOf(asked, at, this.#host)
    return {
      ...input,
      namespaceObject: this.#namespace(asked),
      params: param.object,
      typed: { ...input.typed, params: param.typed },
    }
  }

  /** The namespace that a request is in, as expressions see it. A namespace itself is in none. */
  #namespace({ type, namespace }: Attributes): JsonObject | undefined {
    if (namespace === '' || (type.group === '' && type.plural === 'namespaces')) return undefined
    const namespaces = this.#host.registry.resolve('', 'v1', 'namespaces')
    const version = this.#host.store.collection(namespaces).get(namespace)
    if (version === undefined) throw StatusError.notFound(namespaces, namespace)
    const object = materialise(version, 'v1', 'Namespace')
    const { managedFields, ownerReferences, ...metadata } = object.metadata
    return { metadata, spec: objectAt(object, 'spec') ?? {}, status: objectAt(object, 'status') ?? {} }
  }

  /** The policies that are bound, by name, each with its bindings. */
  #policies(): (readonly [ValidatingPolicy, readonly Binding[]])[] {
    const bound = new Map<string, Binding[]>()
    for (const binding of this.#all(this.#types.bindings, readBinding)) {
      const bindings = bound.get(binding.policy) ?? []
      bindings.push(binding)
      bound.set(binding.policy, bindings)
    }
    return this.#all(this.#types.policies, readPolicy)
      .filter(({ name }) => bound.has(name))
      .map(policy => [policy, bound.get(policy.name) as Binding[]] as const)
  }

  #all<T extends ValidatingPolicy | Binding>(type: ResourceType, read: (object: KubeObject) => T): T[] {
    return this.#host.store
      .collection(type)
      .snapshot('')
      .map(version => {
        const known = this.#read.get(version) as T | undefined
        if (known !== undefined) return known
        const made = read(materialise(version, type.apiVersion, type.kind))
        this.#read.set(version, made)
        return made
      })
  }
}

/** What a policy has against a request, with one of its params. */
function evaluate(policy: ValidatingPolicy, input: Input): readonly Refusal[] {
  const values = cel().inputValues(input, policy.variables)
  const failed = (message: string, always?: boolean): Refusal[] =>
    policy.ignoresFailures ? [] : [{ message, reason: 'Invalid', always }]
  const holds = cel().conditionsHold(policy.conditions, values)
  if (holds === false) return []
  if (holds !== true) return failed(holds)
  const result = (expression: Expression): ReturnType<ReturnType<typeof cel>['evaluateExpression']> =>
    cel().evaluateExpression(expression, values)
  const refusals = policy.validations.flatMap(({ expression, message, messageExpression, reason }): Refusal[] => {
    const answer = result(expression)
    if ('error' in answer) return failed(answer.error)
    if (answer.value === true) return []
    const told = messageExpression === undefined ? undefined : result(messageExpression)
    const made = told !== undefined && 'value' in told ? cel().usableMessage(told.value) : undefined
    const text = made ?? (message === '' ? `failed expression: ${expression.source.trim()}` : message)
    return [{ message: text, reason }]
  })
  const unaudited = policy.auditAnnotations.flatMap(annotation => {
    const answer = result(annotation)
    return 'error' in answer ? failed(answer.error, true) : []
  })
  return [...refusals, ...unaudited]
}

function refused({ policy, binding, message, reason }: Denied, asked: Attributes): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`
  const why = `${by} denied request: ${message}`
  const metadata = (asked.object as KubeObject | undefined)?.metadata
  const name = asked.name || metadata?.name || metadata?.generateName || 'Unknown'
  const refusal = StatusError.forbidden(asked.type, name, why)
  return new StatusError(codes[reason] ?? 422, reason, refusal.message, {
    details: { ...refusal.details, causes: [{ message: why }] },
  })
}
