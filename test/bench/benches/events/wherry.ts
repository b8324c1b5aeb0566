import { configMaps } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { measureEvents } from './measure.ts'

const views = { full: configMaps.full(), default: configMaps, metadata: configMaps.metadata() }

/** Our informer of one view, with so many registrations; the last one counts. */
export function run(context: SubjectContext): Promise<Metrics> {
  const client = clientFor(context.server())
  const registrations = Number(context.options.registrations)
  const view = views[context.options.view as keyof typeof views]
  return measureEvents(context, (event, failed) => {
    const informer = new Informer({ client, view })
    let received = 0
    for (let n = 1; n < registrations; n++) {
      informer.addHandler({
        update() {
          received++
        },
      })
    }
    informer.addHandler({ update: event })
    informer.on('error', failed)
    informer.start()
    return async () => {
      await informer.close()
      await client.close()
      const wanted = context.objects * (registrations - 1)
      if (received !== wanted) throw new Error(`${received} events at the other handlers, not ${wanted}`)
    }
  })
}
