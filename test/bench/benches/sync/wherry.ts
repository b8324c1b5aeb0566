import { Informer } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureSync } from './measure.ts'
import { viewOf } from './views.ts'

/** Our informer of one view. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const client = clientFor(context.server())
  const view = viewOf(context)
  const { packed } = context.options.packed === true ? await import('@wherry/informer/packed') : {}
  return measureSync(context, async () => {
    const informer = new Informer({ client, view, packed })
    informer.start()
    await informer.whenSynced()
    return {
      objects: () => informer.size,
      async close() {
        await informer.close()
        await client.close()
      },
    }
  })
}
