import type { CustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

/** Another definition of the same resource. */
export const game: CustomResource = gameOf({ type: 'object', properties: {} })
