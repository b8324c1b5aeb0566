import type { ObjectKey } from '@wherry/client'
import { defineGames, games } from '../../apply/games.fixture.ts'
import type { Kit } from './cluster.ts'

/** The key of a game, or of a copy of it. */
export const at = (namespace: string, name = 'chess'): ObjectKey<'namespaced'> => ({ namespace, name })

/** Defines games, and makes one in `shared` and `targets` namespaces for its copies. What was asked for is counted from then on. */
export async function fillGames(kit: Kit, targets: number): Promise<void> {
  await kit.fill(0, targets)
  await kit.run(async () => {
    await defineGames(kit.writer)
    await kit.writer.create(games, { metadata: at('shared'), spec: { title: 'Chess', players: 2 } })
  })
  await kit.quiet()
  await kit.requests()
}
