import { CoreV1Api } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measureList } from './measure.ts'

/** The official client, as it is used. */
export function run(context: SubjectContext): Promise<Metrics> {
  const api = kubeConfigFor(context.server()).makeApiClient(CoreV1Api)
  return measureList(context, async () => {
    const { items } = await api.listConfigMapForAllNamespaces({ resourceVersion: '0' })
    return items.length
  })
}
