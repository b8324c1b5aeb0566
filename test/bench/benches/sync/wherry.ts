import { namespaces } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { type Held, measureSync } from './measure.ts'
import { viewOf } from './views.ts'

/** Our informer of one view, with a handler. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const client = clientFor(context.server())
  const view = viewOf(context)
  const sync = async (): Promise<Held> => {
    const informer = new Informer({ client, view })
    let received = 0
    const registration = informer.addHandler({
      add() {
        received++
      },
    })
    informer.start()
    await registration.whenSynced()
    return {
      objects: () => Math.min(received, informer.size),
      async close() {
        await informer.close()
        await client.close()
      },
    }
  }
  return measureSync(context, sync, () => client.list(namespaces))
}
