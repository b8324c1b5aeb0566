import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Operator } from '@wherry/controller'

/** A game, as v2 has it: v1 did not know of `players`. */
export interface Game {
  metadata?: ObjectMeta
  spec: { title: string; players?: number }
  status?: { phase: 'Ready' }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v2',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

/** Says of each game that it is ready. It works on v2 alone, also while games are still stored at v1. */
export function declareGames(operator: Operator): void {
  operator
    .controller('game')
    .for(games)
    .reconcile(async ({ status }) => {
      await status({ phase: 'Ready' })
    })
}
