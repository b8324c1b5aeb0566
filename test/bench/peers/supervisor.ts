/**
 * A program of ours on client-node that behaves as trigger.dev's supervisor does with the pods of a namespace: an informer for pods that failed, which
 * it deletes, a collection of pods that succeeded deleted every ten seconds, and a restart of the informer one second after an error.
 */
import { setTimeout } from 'node:timers/promises'
import { CoreV1Api, KubeConfig, ListWatch, type V1Pod, Watch } from '@kubernetes/client-node'

const namespace = 'default'
const labelSelector = 'app=task-run'
const fieldSelector = 'status.phase=Failed'

const config = new KubeConfig()
config.loadFromDefault()
const api = config.makeApiClient(CoreV1Api)
const list = () => api.listNamespacedPod({ namespace, labelSelector, fieldSelector })
const path = `/api/v1/namespaces/${namespace}/pods`
const informer = new ListWatch<V1Pod>(path, new Watch(config), list, false, labelSelector, fieldSelector)

informer.on('add', async ({ metadata }) => {
  if (metadata?.name === undefined || metadata.deletionTimestamp !== undefined) return
  await api.deleteNamespacedPod({ name: metadata.name, namespace }).catch(console.error)
})
informer.on('error', async () => {
  await setTimeout(1_000)
  await informer.start().catch(console.error)
})
await informer.start()

for (;;) {
  const succeeded = { namespace, labelSelector, fieldSelector: 'status.phase=Succeeded', gracePeriodSeconds: 0 }
  await api.deleteCollectionNamespacedPod(succeeded).catch(console.error)
  await setTimeout(10_000)
}
