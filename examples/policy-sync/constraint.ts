import type { ObjectMeta } from '@wherry/client'
import type { LabelSelector } from '@wherry/client/resources/meta'
import type { Condition } from '@wherry/controller'
import type { KindName } from './kinds.ts'

/** The group of all constraints; each template makes a kind of it. */
export const constraintGroup = 'constraints.policy.example.com'

/** Says to which objects a template's policy applies, and with which parameters. */
export interface Constraint {
  metadata?: ObjectMeta
  spec: {
    match: KindName[]
    /** Names, or `kube-*` and `*-system`. None: all namespaces. */
    namespaces?: string[]
    excludedNamespaces?: string[]
    labelSelector?: LabelSelector
    enforcementAction?: EnforcementAction
    parameters?: Record<string, unknown>
  }
  status?: ConstraintStatus
}

/**
 * What comes of a violation. An audit names all of them in the status. `deny`, the default, and `warn` also send an event, and are what a
 * review refuses and warns of. `dryrun` does no more than the status.
 */
export type EnforcementAction = (typeof enforcementActions)[number]

export const enforcementActions = ['deny', 'warn', 'dryrun'] as const

export interface ConstraintStatus {
  /** How many objects violate it. Missing while that is not known. */
  totalViolations?: number
  /** The first of them, by kind, namespace and name: at most {@link maxViolations}. */
  violations?: Violation[]
  conditions?: Condition[]
}

export interface Violation {
  kind: string
  /** Empty for an object without a namespace. */
  namespace: string
  name: string
  message: string
}

/** How many violations a constraint's status names. */
export const maxViolations = 20
