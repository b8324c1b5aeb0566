import { Client } from '@wherry/client'
import { type ControllerBuilder, generationChanged, Operator, type ReconcileContext } from '@wherry/controller'
import { type Game, games } from './game.ts'
import type { Surroundings } from './mode.ts'
import type { World } from './reconcile.ts'

type GamesController = ControllerBuilder<Game, 'namespaced'>

/** In what the demo's operators differ that are made with Wherry. */
export interface Way {
  /** What it watches beside games, where it has to say so. */
  declare?(controller: GamesController): unknown
  /** How it comes by what a game needs. */
  reads(context: ReconcileContext<Game, 'namespaced'>): Pick<World, 'levels' | 'licence'>
  /** After so long a game is reconciled again although nothing was heard, in milliseconds. @default never */
  readonly againAfterMs?: number | undefined
}

/** Starts the demo's operator, made with Wherry. Gives what ends it. */
export function startOperator(around: Surroundings, { declare, reads, againAfterMs }: Way): () => Promise<void> {
  const { address, namespace, reconcile, onError } = around
  const client = new Client({ ...address, environment: { onError } })
  const operator = new Operator({ name: 'memory-game', client })
  const controller = operator
    .controller('game')
    .for(games.within({ namespaces: [namespace] }))
    // What it writes itself, into the status, is no news.
    .withPredicates(generationChanged)
    .reconcile(async context => {
      const { object, key, client } = context
      const writeStatus = async (digest: string): Promise<void> => {
        await client.status.patch(games, key, { status: { digest } })
      }
      await reconcile(object, { ...reads(context), writeStatus })
      return { requeueAfterMs: againAfterMs }
    })
  declare?.(controller)
  const running = operator.run({ signals: false }).catch(onError)
  return async () => {
    await operator.close()
    await running
    await client.close()
  }
}
