import { CoreV1Api, makeInformer } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measureEvents } from './measure.ts'

/** The official client's informer. */
export function run(context: SubjectContext): Promise<Metrics> {
  const config = kubeConfigFor(context.server())
  const api = config.makeApiClient(CoreV1Api)
  return measureEvents(context, async (event, failed) => {
    const informer = makeInformer(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces())
    informer.on('update', event)
    informer.on('error', failed)
    await informer.start()
    return () => informer.stop()
  })
}
