import type { ObjectMeta } from '@wherry/client'
import { type Policies, type Policy, PolicyError } from './policies.ts'
import type { ConstraintTemplate } from './template.ts'

/** A policy as it was compiled, or why it can't be used. */
export type Compiled = Policy | PolicyError

interface Entry {
  readonly template: ConstraintTemplate
  readonly policy: Compiled
}

/** The policies of all templates that the operator has run for, each compiled once for a state of its template. */
export class CompiledPolicies {
  readonly #policies: Policies
  readonly #byTemplate = new Map<string, Entry>()
  /** The states of templates with constraints that the server does not serve, by name. */
  readonly #unserved = new Map<string, string>()

  constructor(policies: Policies) {
    this.#policies = policies
  }

  get all(): readonly Entry[] {
    return [...this.#byTemplate.values()]
  }

  of(template: ConstraintTemplate): Compiled {
    const known = this.#byTemplate.get(nameOf(template))
    if (known !== undefined && versionOf(known.template.metadata) === versionOf(template.metadata)) return known.policy
    const policy = this.#compile(template)
    this.#unserved.delete(nameOf(template))
    this.#byTemplate.set(nameOf(template), { template, policy })
    return policy
  }

  /** The policy can't be used until its template changes. */
  fail(template: ConstraintTemplate, failure: PolicyError): void {
    this.#byTemplate.set(nameOf(template), { template, policy: failure })
  }

  /** The template has no constraints, because the server does not serve their kind. Another template may have that kind. */
  setAside(template: ConstraintTemplate): void {
    this.#byTemplate.delete(nameOf(template))
    this.#unserved.set(nameOf(template), versionOf(template.metadata))
  }

  /** Whether the operator has run for this state of a template. */
  knows(template: ConstraintTemplate): boolean {
    const name = nameOf(template)
    const known = this.#byTemplate.get(name)
    const version = known === undefined ? this.#unserved.get(name) : versionOf(known.template.metadata)
    return version === versionOf(template.metadata)
  }

  delete(name: string): void {
    this.#unserved.delete(name)
    this.#byTemplate.delete(name)
  }

  #compile({ spec: { policy, expression = '', message = 'it violates the policy' } }: ConstraintTemplate): Compiled {
    try {
      return policy === undefined ? this.#policies.compile(expression, message) : this.#policies.own(policy)
    } catch (error) {
      if (error instanceof PolicyError) return error
      throw error
    }
  }
}

function nameOf({ metadata }: ConstraintTemplate): string {
  return metadata?.name ?? ''
}

function versionOf(metadata: ObjectMeta | undefined): string {
  return `${metadata?.uid} ${metadata?.generation}`
}
