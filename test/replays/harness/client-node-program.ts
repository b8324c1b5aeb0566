/** Informers of the official client, as a process of its own: they hold what they list. */
import { CoreV1Api, type KubernetesListObject, type KubernetesObject, makeInformer } from '@kubernetes/client-node'
import { collect } from '../../bench/harness/memory.ts'
import { kubeConfigFor } from '../../bench/server/client-node.ts'

const { REPLAY_KINDS = '', REPLAY_URL: url = '', REPLAY_CA: ca = '', REPLAY_TOKEN: token = '' } = process.env
const config = kubeConfigFor({ url, ca, token, emptyVersion: '0' })
const api = config.makeApiClient(CoreV1Api)
const lists: Readonly<Record<string, () => Promise<KubernetesListObject<KubernetesObject>>>> = {
  pods: () => api.listPodForAllNamespaces(),
  secrets: () => api.listSecretForAllNamespaces(),
  nodes: () => api.listNode(),
  configmaps: () => api.listConfigMapForAllNamespaces(),
  services: () => api.listServiceForAllNamespaces(),
  events: () => api.listEventForAllNamespaces(),
}
for (const kind of REPLAY_KINDS.split(',')) {
  const list = lists[kind]
  if (list === undefined) throw new Error(`no list of ${kind}`)
  const informer = makeInformer(config, `/api/v1/${kind}`, list)
  // If its list fails, it says so here alone: its start resolves, and it holds nothing.
  informer.on('error', error => {
    throw error
  })
  await informer.start()
}
console.log('ready')
await new Promise(resolve => setTimeout(resolve, 1000))
collect()
console.log('settled')
