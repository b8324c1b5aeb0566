import { performance } from 'node:perf_hooks'
import type { Metrics, ServerAddress, SubjectContext } from '../../harness/bench.ts'
import { summarise } from '../../harness/statistics.ts'
import { bareRss, startAudit } from './audited.ts'
import { readList } from './read-list.ts'

/** Times lists, direct or through the proxy of an audit, and takes what the audit costs meanwhile. */
export async function run({ objects, options, server }: SubjectContext): Promise<Metrics> {
  const lists = Number(options.lists)
  const timed = async (address: ServerAddress): Promise<number> => {
    const begin = performance.now()
    const read = await readList(address, String(options.form), String(options.protocol))
    const ms = performance.now() - begin
    if (read < objects) throw new Error(`${read} bytes or items, of ${objects} objects`)
    return ms
  }
  const median = async (address: ServerAddress): Promise<number> => {
    const times: number[] = []
    for (let list = 0; list < lists; list++) times.push(await timed(address))
    return summarise(times).median
  }
  if (options.isAudited !== true) {
    await timed(server())
    return { list_ms: await median(server()) }
  }
  const bare = await bareRss()
  await using audit = await startAudit(server())
  const idle = audit.cost()
  await timed(audit.address)
  const before = audit.cost()
  const list_ms = await median(audit.address)
  const after = audit.cost()
  return {
    list_ms,
    audit_cpu_ms: (after.cpuMs - before.cpuMs) / lists,
    audit_idle_rss_bytes: idle.rssBytes - bare,
    audit_peak_rss_bytes: after.peakBytes - bare,
  }
}
