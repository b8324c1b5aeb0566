import type { Clock } from '@wherry/client'
import type { NamedConnection } from './syncing.ts'
import { within } from './within.ts'

/** Closes all of them from the call on. Resolves when they are closed, or when the time is over: with the names of those that are not. */
export async function closeSources(
  connections: readonly NamedConnection[],
  timeoutMs: number,
  clock: Clock,
): Promise<readonly string[]> {
  if (connections.length === 0) return []
  const open = new Set(connections)
  const one = async (named: NamedConnection): Promise<void> => {
    await named.connection.close()
    open.delete(named)
  }
  await within(Promise.all(connections.map(one)), timeoutMs, clock)
  return [...open].map(({ name }) => name)
}
