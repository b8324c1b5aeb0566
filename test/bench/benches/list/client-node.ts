import { CoreV1Api } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measureList } from './measure.ts'

/** The official client, as it is used. */
export function run(context: SubjectContext): Promise<Metrics> {
  const api = kubeConfigFor(context.server()).makeApiClient(CoreV1Api)
  return measureList(context, {
    touch: () => api.listNamespace(),
    list: async () => (await api.listConfigMapForAllNamespaces({ resourceVersion: '0' })).items.length,
  })
}
