import type { Data, Game } from './game.ts'
import { digestOf } from './game.ts'

/** What an operator can do, however it does it. */
export interface World {
  /** What a ConfigMap of the game's namespace holds; `undefined` where there is none. */
  levels(name: string): Promise<Data | undefined>
  /** The same of a Secret. */
  licence(name: string): Promise<Data | undefined>
  /** Writes the game's status. */
  writeStatus(digest: string): Promise<void>
}

/**
 * The one reconcile function of all the demo's operators: a game's status says what its ConfigMap and its Secret hold at
 * present. Gives what it says.
 */
export async function reconcile({ spec, status }: Game, world: World): Promise<string> {
  const levels = await world.levels(spec?.levels ?? '')
  const licence = await world.licence(spec?.licence ?? '')
  const digest = levels && licence ? digestOf(levels, licence) : 'missing'
  if (status?.digest !== digest) await world.writeStatus(digest)
  return digest
}
