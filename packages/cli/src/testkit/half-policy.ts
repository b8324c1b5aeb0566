import type { ValidatingPolicy } from '@wherry/crd'
import { owner } from './copied-policy.ts'

/** A module that exports the policy, and not its binding: the policy would refuse nothing. */
export const ownerPolicy: ValidatingPolicy['policy'] = owner.policy

/** Something else that has a file. */
export { game } from './arcade.crd.ts'
