import { configMaps } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureWatch } from './measure.ts'

/** Our client's callback form, of one view. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  const view = context.options.view === 'full' ? configMaps.full() : configMaps
  await using client = clientFor(server)
  return await measureWatch(context, (event, failed) => {
    const received = (type: string): void => {
      if (type === 'ADDED') event()
    }
    const watch = client.watchEach(
      view,
      { event: received, end: why => failed(new Error(`the watch ended: ${why.how}`)) },
      { resourceVersion: server.emptyVersion },
    )
    return () => watch.abort()
  })
}
