import { K8s, kind } from 'kubernetes-fluent-client'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { withKubeconfig } from '../../server/client-node.ts'
import { kindOf, measureSync } from './measure.ts'

/** Its watch, which lists first and keeps what it has seen. It reads its server from KUBECONFIG alone. */
export function run(context: SubjectContext): Promise<Metrics> {
  const objects = context.objects * (kindOf(context) === 'pods' ? 0.2 : 1)
  const model = kindOf(context) === 'pods' ? kind.Pod : kind.ConfigMap
  return withKubeconfig(context.server(), () =>
    measureSync(context, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let received = 0
      const watcher = K8s<typeof kind.ConfigMap>(model as typeof kind.ConfigMap).Watch(() => {
        received += 1
        if (received === objects) resolve()
      })
      await watcher.start()
      await promise
      return { objects: () => received, close: () => watcher.close() }
    }),
  )
}
