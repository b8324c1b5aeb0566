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
    this.#byTemplate.set(nameOf(template), { template, policy })
    return policy
  }

  /** The policy can't be used until its template changes. */
  fail(template: ConstraintTemplate, failure: PolicyError): void {
    this.#byTemplate.set(nameOf(template), { template, policy: failure })
  }

  delete(name: string): void {
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
