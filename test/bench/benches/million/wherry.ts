import { performance } from 'node:perf_hooks'
import { configMaps, pods } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { peakRss, readMemory } from '../../harness/memory.ts'
import { watchPauses } from '../../harness/pauses.ts'
import { clientFor } from '../../server/wherry.ts'

/** Our informer of the default view, with a handler. */
export async function run({ objects, options, server }: SubjectContext): Promise<Metrics> {
  const count = Math.round(objects * Number(options.share))
  const address = server()
  await using client = clientFor({ ...address, url: `${address.url}/of/${count}` })
  await using informer = new Informer({ client, view: options.plural === 'pods' ? pods : configMaps })
  let received = 0
  const registration = informer.addHandler({
    add() {
      received++
    },
  })
  const pauses = watchPauses()
  const begin = performance.now()
  informer.start()
  await registration.whenSynced()
  const sync_ms = performance.now() - begin
  const { gc_ms } = await pauses.stop()
  const peak_rss_bytes = peakRss()
  const { rss: rss_bytes } = readMemory()
  if (received !== count || informer.size !== count) throw new Error(`${received} objects, not ${count}`)
  return { sync_ms, object_us: (1000 * sync_ms) / count, rss_bytes, peak_rss_bytes, gc_ms }
}
