/** An operator on the official client: an informer with handlers that put keys on p-queue. */
import { CoreV1Api, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import PQueue from 'p-queue'
import { kubeConfigFor } from '../../server/client-node.ts'
import { addressOfProgram, reporter } from './in-program.ts'

const address = addressOfProgram()
const reconciled = reporter(address.objects)
const config = kubeConfigFor(address)
const api = config.makeApiClient(CoreV1Api)
const informer = makeInformer(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces())
const queue = new PQueue({ concurrency: 1 })
const waiting = new Set<string>()

async function reconcile(key: string): Promise<void> {
  waiting.delete(key)
  const [namespace, name] = key.split('/') as [string, string]
  if (informer.get(name, namespace) === undefined) return
  reconciled(key)
}

function enqueue({ metadata }: V1ConfigMap): void {
  const key = `${metadata?.namespace}/${metadata?.name}`
  if (waiting.has(key)) return
  waiting.add(key)
  queue.add(() => reconcile(key))
}

informer.on('add', enqueue)
informer.on('update', enqueue)
informer.on('delete', enqueue)
await informer.start()
