import { Watch } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measureWatch } from './measure.ts'

/** The official client's watch, as it is used. */
export function run(context: SubjectContext): Promise<Metrics> {
  const server = context.server()
  const watch = new Watch(kubeConfigFor(server))
  return measureWatch(context, async (event, failed) => {
    const received = (type: string): void => {
      if (type === 'ADDED') event()
    }
    const controller = await watch.watch(
      '/api/v1/configmaps',
      { resourceVersion: server.emptyVersion },
      received,
      failed,
    )
    return () => controller.abort()
  })
}
