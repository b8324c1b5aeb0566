import type { CustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

/** A module with a rule that does not compile: the field has no `none`. */
export const game: CustomResource = gameOf({
  type: 'object',
  properties: { players: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self.none > 1' }] } },
})
