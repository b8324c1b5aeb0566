import { type JsonObject, objectAt } from '@wherry/cel/internal'
import type { Input } from '@wherry/cel/internal/evaluator'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import type { InForce } from './in-force.ts'
import { type InputHost, inputOf } from './input.ts'
import { type Binding, type Policy, type Resources, readBinding, readPolicy } from './policy.ts'
import { type Param, paramsOf, paramType } from './policy-params.ts'
import type { Attributes } from './review.ts'
import { selectorsMatch, versionByRules } from './selection.ts'

/** The parts of the server that policies need. */
export interface PolicyHost extends InputHost {
  readonly store: Store
  readonly registry: Registry
  readonly inForce: InForce
}

/** A policy that matches a request, with a binding and its params. */
export interface Invocation {
  readonly policy: Policy
  readonly binding: Binding | undefined
  readonly at: ResourceType
  readonly param: Param
  /** The reason for which the policy can't be evaluated, if it is not empty. */
  readonly problem: string
}

const noParam: Param = { object: undefined, typed: false }

/** The policies of one kind that have bindings. Each policy is read once. */
export class BoundPolicies {
  readonly #host: PolicyHost
  readonly #types: { readonly policies: ResourceType; readonly bindings: ResourceType }
  readonly #read = new WeakMap<Version, Policy | Binding>()

  constructor(host: PolicyHost, kind: 'validating' | 'mutating') {
    const type = (plural: string): ResourceType => host.registry.resolve('admissionregistration.k8s.io', 'v1', plural)
    this.#host = host
    this.#types = { policies: type(`${kind}admissionpolicies`), bindings: type(`${kind}admissionpolicybindings`) }
  }

  /** Whether no policy has a binding. */
  get idle(): boolean {
    return this.#host.inForce.size(this.#types.bindings) === 0
  }

  /** The policies that match a request, by name. */
  invocations(asked: Attributes): readonly Invocation[] {
    if (this.idle) return []
    const bindings = Map.groupBy(this.#all(this.#types.bindings, readBinding), ({ policy }) => policy)
    return this.#all(this.#types.policies, readPolicy).flatMap(policy => {
      const own = bindings.get(policy.name)
      const at = own && this.#selected(policy.resources, asked)
      return own === undefined || at === undefined ? [] : this.#ofPolicy(policy, own, at, asked)
    })
  }

  /** The variables of a policy's expressions for a request. */
  input(asked: Attributes, at: ResourceType, param: Param): Input {
    const input = inputOf(asked, at, this.#host)
    return {
      ...input,
      namespaceObject: this.#namespace(asked),
      params: param.object,
      typed: { ...input.typed, params: param.typed },
    }
  }

  #ofPolicy(policy: Policy, bindings: readonly Binding[], at: ResourceType, asked: Attributes): Invocation[] {
    const type = paramType(policy.paramKind, this.#host.registry)
    const wrong = (what: string, why: string, binding: Binding | undefined): Invocation[] => [
      { policy, binding, at, param: noParam, problem: `failed to configure ${what}: ${why}` },
    ]
    if (typeof type === 'string') return wrong('policy', type, undefined)
    return bindings.flatMap(binding => {
      if (binding.resources !== undefined && this.#selected(binding.resources, asked) === undefined) return []
      const params = paramsOf(type, binding.paramRef, asked.namespace, this.#host)
      if (typeof params === 'string') return wrong('binding', params, binding)
      return params.map(param => ({ policy, binding, at, param, problem: '' }))
    })
  }

  #selected(resources: Resources, asked: Attributes): ResourceType | undefined {
    if (!selectorsMatch(resources, asked, this.#host)) return undefined
    const { excluded, equivalent } = resources
    if (versionByRules({ rules: excluded, equivalent }, asked, this.#host) !== undefined) return undefined
    return resources.rules.length === 0 ? asked.type : versionByRules(resources, asked, this.#host)
  }

  /** The namespace of a request, as expressions see it. A Namespace itself is in none. */
  #namespace({ type, namespace }: Attributes): JsonObject | undefined {
    if (namespace === '' || (type.group === '' && type.plural === 'namespaces')) return undefined
    const namespaces = this.#host.registry.resolve('', 'v1', 'namespaces')
    const version = this.#host.store.collection(namespaces).get(namespace)
    if (version === undefined) throw StatusError.notFound(namespaces, namespace)
    const object = materialise(version, 'v1', 'Namespace')
    const { managedFields, ownerReferences, ...metadata } = object.metadata
    return { metadata, spec: objectAt(object, 'spec') ?? {}, status: objectAt(object, 'status') ?? {} }
  }

  #all<T extends Policy | Binding>(type: ResourceType, read: (object: KubeObject) => T): T[] {
    return this.#host.inForce.all(type).map(version => {
      const known = this.#read.get(version) as T | undefined
      if (known !== undefined) return known
      const made = read(materialise(version, type.apiVersion, type.kind))
      this.#read.set(version, made)
      return made
    })
  }
}
