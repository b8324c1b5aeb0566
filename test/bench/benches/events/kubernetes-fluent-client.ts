import { K8s, kind, WatchEvent } from 'kubernetes-fluent-client'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { withKubeconfig } from '../../server/client-node.ts'
import { measureEvents } from './measure.ts'

/** Its watch, which lists first and keeps what it has seen. It reads its server from KUBECONFIG alone. */
export function run(context: SubjectContext): Promise<Metrics> {
  return withKubeconfig(context.server(), () =>
    measureEvents(context, async (event, failed) => {
      const watcher = K8s(kind.ConfigMap).Watch((_, phase) => {
        if (`${phase}` === 'MODIFIED') event()
      })
      watcher.events.on(WatchEvent.GIVE_UP, failed)
      await watcher.start()
      return () => watcher.close()
    }),
  )
}
