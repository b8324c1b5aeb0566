import { Client } from '@wherry/client'
import { games } from '../game.ts'
import type { Surroundings } from '../mode.ts'
import '@wherry/controller'

/** Imports what the narrow mode imports, connects, and reads nothing. */
export async function start({ address, namespace }: Surroundings): Promise<() => Promise<void>> {
  const client = new Client(address)
  await client.get(games, { namespace, name: 'none' })
  return () => client.close()
}
