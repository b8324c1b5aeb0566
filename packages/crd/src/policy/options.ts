import type { View } from '@wherry/client'

/** A validation of a policy. */
export interface PolicyValidation {
  /**
   * A CEL expression. The request is refused if the result is false. The expression reads `object`, `oldObject`, `request`, `namespaceObject`, `params`,
   * `variables` and `authorizer`.
   */
  readonly expression: string
  /** @default the expression */
  readonly message?: string | undefined
  /** CEL of a message, in place of `message`. */
  readonly messageExpression?: string | undefined
  /** @default 'Invalid' */
  readonly reason?: 'Unauthorized' | 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | undefined
}

/** A mutation of a policy: CEL of an `Object{…}` that is applied, or of a list of `JSONPatch{…}`. */
export type PolicyMutation = { readonly apply: string } | { readonly patch: string }

/** The object of settings that a policy reads as `params`. */
export interface PolicyParams {
  readonly view: View
  readonly name: string
  /** @default the namespace of the object under review, if the settings are of a namespace */
  readonly namespace?: string | undefined
  /** The decision about a request while the settings do not exist. @default 'Deny' */
  readonly notFound?: 'Allow' | 'Deny' | undefined
}

/** The options of every policy. */
export interface CommonPolicyOptions {
  /** The name of the policy and of its binding: a DNS subdomain. */
  readonly name: string
  /** Which requests the policy is asked about. @default ['CREATE', 'UPDATE'] */
  readonly operations?: readonly ('CREATE' | 'UPDATE' | 'DELETE')[] | undefined
  /** CEL expressions by name. Each may read the variables before it, as `variables.NAME`. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** CEL by name: the policy is asked only if all hold. */
  readonly when?: Readonly<Record<string, string>> | undefined
  /** The object that expressions read as `params`. @default none */
  readonly params?: PolicyParams | undefined
  /** The decision about a request if an expression fails. @default 'Fail' */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined
}

/** Options of {@link policy} for a ValidatingAdmissionPolicy. */
export interface ValidatingPolicyOptions extends CommonPolicyOptions {
  /** The conditions that requests must meet. A refusal names the first condition that the request does not meet. */
  readonly validations: readonly PolicyValidation[]
  /** The effects of a refusal. @default ['Deny'] */
  readonly actions?: readonly ('Deny' | 'Warn' | 'Audit')[] | undefined
}

/** Options of {@link policy} for a MutatingAdmissionPolicy. */
export interface MutatingPolicyOptions extends CommonPolicyOptions {
  /** The changes by the policy, in this order. */
  readonly mutations: readonly PolicyMutation[]
  /** `IfNeeded`: the policy runs again if another policy or webhook has changed the object after it. @default 'Never' */
  readonly reinvocation?: 'Never' | 'IfNeeded' | undefined
  /** `v1beta1` for a cluster before 1.36. @default 'v1' */
  readonly apiVersion?: 'v1' | 'v1beta1' | undefined
}
