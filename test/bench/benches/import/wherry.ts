import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureImport } from './measure.ts'

/** Our client, in a pod. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureImport(context, async pod => {
    const { Client, defineResource, inCluster } = await import('@wherry/client')
    const namespaces = defineResource({
      group: '',
      version: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      namespaced: false,
    })
    const client = new Client({ access: await inCluster({ directory: pod.directory }) })
    if ((await client.get(namespaces, { name: 'default' })) === undefined) throw new Error('no namespace default')
    return () => client.close()
  })
}
