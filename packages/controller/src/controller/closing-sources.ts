import { type Clock, sleep } from '@wherry/client'
import type { NamedConnection } from './syncing.ts'

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
  const closed = Promise.all(connections.map(one))
  const over = new AbortController()
  const late = sleep(clock, timeoutMs, over.signal).catch(() => {})
  await Promise.race([closed, late])
  over.abort(new Error('the wait is over'))
  return [...open].map(({ name }) => name)
}
