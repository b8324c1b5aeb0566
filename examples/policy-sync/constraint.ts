import type { ObjectMeta } from '@wherry/client'
import type { Condition } from '@wherry/controller'
import type { KindName } from './kinds.ts'

/** The group of all constraints; each template makes a kind of it. */
export const constraintGroup = 'constraints.policy.example.com'

/** Says to which kinds a template's policy applies, and with which parameters. */
export interface Constraint {
  metadata?: ObjectMeta
  spec: { match: KindName[]; parameters?: Record<string, unknown> }
  status?: ConstraintStatus
}

export interface ConstraintStatus {
  /** How many objects violate it. */
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
