import { type CustomResource, defineCustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

const players = { type: 'object', properties: { players: { type: 'integer', minimum: 1, default: 2 } } }

export const game: CustomResource = gameOf(players)

export const arcade: CustomResource = defineCustomResource({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Arcade',
  plural: 'arcades',
  namespaced: false,
  spec: { type: 'object', properties: { address: { type: 'string' } } },
})

/** The same again, as a module may export it by two names. */
export { game as again }
