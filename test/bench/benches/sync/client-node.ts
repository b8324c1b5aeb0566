import { CoreV1Api, type KubernetesObject, type ListPromise, makeInformer } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { kindOf, measureSync } from './measure.ts'

/** The official client's informer, as its documentation uses it. */
export function run(context: SubjectContext): Promise<Metrics> {
  const config = kubeConfigFor(context.server())
  const api = config.makeApiClient(CoreV1Api)
  const kind = kindOf(context)
  const list = () => (kind === 'pods' ? api.listPodForAllNamespaces() : api.listConfigMapForAllNamespaces())
  return measureSync(context, async () => {
    const informer = makeInformer(config, `/api/v1/${kind}`, list as ListPromise<KubernetesObject>)
    let heard = 0
    informer.on('add', () => {
      heard++
    })
    await informer.start()
    return { objects: () => Math.min(heard, informer.list().length), close: () => informer.stop() }
  })
}
