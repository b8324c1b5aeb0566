import { defineResource, type Resource } from '@wherry/client'
import type { NamesOf, ObjectOf } from '@wherry/crd'
import type { game } from './game.crd.ts'

/** What an operator imports of the definition: types. */
export type Game = ObjectOf<typeof game>

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'bench.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
} satisfies NamesOf<typeof game>)
