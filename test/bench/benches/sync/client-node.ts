import {
  CoreV1Api,
  CustomObjectsApi,
  type KubernetesObject,
  type ListPromise,
  makeInformer,
} from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { type Kind, kindOf, measureSync } from './measure.ts'

/** The official client's informer, as its documentation uses it. */
export function run(context: SubjectContext): Promise<Metrics> {
  const config = kubeConfigFor(context.server())
  const api = config.makeApiClient(CoreV1Api)
  const custom = config.makeApiClient(CustomObjectsApi)
  const kind = kindOf(context)
  const [group, version] = ['operators.coreos.com', 'v1alpha1']
  const lists: Readonly<Record<Kind, () => Promise<unknown>>> = {
    configmaps: () => api.listConfigMapForAllNamespaces(),
    pods: () => api.listPodForAllNamespaces(),
    clusterserviceversions: () =>
      custom.listCustomObjectForAllNamespaces({ group, version, resourcePlural: 'clusterserviceversions' }),
  }
  const root = kind === 'clusterserviceversions' ? `/apis/${group}/${version}` : '/api/v1'
  return measureSync(context, async () => {
    const informer = makeInformer(config, `${root}/${kind}`, lists[kind] as ListPromise<KubernetesObject>)
    let received = 0
    informer.on('add', () => {
      received++
    })
    await informer.start()
    return { objects: () => Math.min(received, informer.list().length), close: () => informer.stop() }
  })
}
