import { performance } from 'node:perf_hooks'
import type { Metrics, ServerAddress, SubjectContext } from '../../harness/bench.ts'
import { peakRss } from '../../harness/memory.ts'
import { startWithGames } from './games.ts'

/** Times a migration; throws where it says that it has rewritten another number of objects than there are. */
export async function measureMigration(
  { objects, options }: SubjectContext,
  migrate: (address: ServerAddress) => Promise<number>,
): Promise<Metrics> {
  const count = typeof options.objects === 'number' ? options.objects : objects
  const { server, address } = await startWithGames(count)
  try {
    const begin = performance.now()
    const rewritten = await migrate(address)
    const seconds = (performance.now() - begin) / 1000
    if (rewritten !== count) throw new Error(`${rewritten} objects rewritten, not ${count}`)
    const { total } = await server.stats()
    return { objects_per_s: count / seconds, peak_rss_bytes: peakRss(), requests: total.requests }
  } finally {
    await server.close()
  }
}
