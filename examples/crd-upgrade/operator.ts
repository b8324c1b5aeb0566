import type { Operator } from '@wherry/controller'
import { games } from './game.ts'

/** Says of each game that it is ready. It works on v2 alone, also while games are still stored at v1. */
export function declareGames(operator: Operator): void {
  operator
    .controller('game')
    .for(games)
    .reconcile(async ({ status }) => {
      await status({ phase: 'Ready' })
    })
}
