import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureImport } from './measure.ts'

/** The official client, in a pod. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureImport(context, async pod => {
    const { CoreV1Api, KubeConfig } = await import('@kubernetes/client-node')
    const config = new KubeConfig()
    config.loadFromCluster(pod.prefix)
    await config.makeApiClient(CoreV1Api).readNamespace({ name: 'default' })
    return () => {}
  })
}
