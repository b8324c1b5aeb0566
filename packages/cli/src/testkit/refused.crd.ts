import type { CustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

/** A module with a schema that the API server would refuse. */
export const game: CustomResource = gameOf({
  type: 'object',
  properties: { code: { type: 'string', pattern: '^(?!0)' } },
})
