import { Client } from '@wherry/client'
import { type ControllerBuilder, generationChanged, Operator, type ReconcileContext } from '@wherry/controller'
import { type Game, games } from './game.ts'
import type { Surroundings } from './mode.ts'
import type { World } from './reconcile.ts'

type GamesController = ControllerBuilder<Game, 'namespaced'>

/** In what the demo's operators differ that are made with Wherry. */
export interface Way {
  /** What it watches besides games, where it has to say so. */
  declare?(controller: GamesController): unknown
  /** How it comes by what a game needs. */
  reads(context: ReconcileContext<Game, 'namespaced'>): Pick<World, 'levels' | 'licence'>
  /** Writes what came of a game. @default a patch of its status */
  write?(context: ReconcileContext<Game, 'namespaced'>, digest: string): Promise<void>
  /** After so long without a change a game is reconciled again, in milliseconds. @default never */
  readonly againAfterMs?: number | undefined
}

async function patchStatus({ client, key }: ReconcileContext<Game, 'namespaced'>, digest: string): Promise<void> {
  await client.status.patch(games, key, { status: { digest } })
}

/** Starts the demo's operator, made with Wherry. Gives what ends it. */
export function startOperator(
  around: Surroundings,
  { declare, reads, write = patchStatus, againAfterMs }: Way,
): () => Promise<void> {
  const { address, namespace, reconcile, onError } = around
  const client = new Client({ ...address, environment: { onError } })
  const operator = new Operator({ name: 'memory-game', client })
  const controller = operator
    .controller('game')
    .for(games.within({ namespaces: [namespace] }))
    // What it writes itself, into the status, is no news.
    .withPredicates(generationChanged)
    .reconcile(async context => {
      await reconcile(context.object, { ...reads(context), writeStatus: digest => write(context, digest) })
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
