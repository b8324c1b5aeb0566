import { CoreV1Api, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { LAST, measureDeliveries, type Receive } from './measure.ts'
import { Source } from './source.ts'

/** The naive way: each consumer has an informer of its own. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const { objects, options } = context
  const source = new Source()
  await source.start(objects)
  const config = kubeConfigFor({ url: source.url, token: 'none', emptyVersion: '0' })
  const api = config.makeApiClient(CoreV1Api)
  const informers: { stop(): Promise<void> }[] = []
  let heap = 0
  const add = async (receive: Receive): Promise<void> => {
    const list = () => api.listConfigMapForAllNamespaces()
    const informer = makeInformer<V1ConfigMap>(config, '/api/v1/configmaps', list)
    informer.on('update', ({ metadata }) => receive(metadata?.name === LAST))
    await informer.start()
    informers.push(informer)
    if (informers.length === 1) heap = readMemory().heap
    if (informers.length === options.registrars) heap = readMemory().heap - heap
  }
  const measured = await measureDeliveries(context, source, add)
  await Promise.all(informers.map(informer => informer.stop()))
  await source.close()
  return { ...measured, heap_per_registrar_bytes: heap / (informers.length - 1) }
}
