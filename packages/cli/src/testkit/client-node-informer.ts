/** A program on client-node, as many are: it watches all Secrets, and needs one. It ends by itself, with the status 3. */
import { setTimeout } from 'node:timers/promises'
import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node'

const config = new KubeConfig()
config.loadFromDefault()
const api = config.makeApiClient(CoreV1Api)
const informer = makeInformer(config, '/api/v1/secrets', () => api.listSecretForAllNamespaces())
const added = Promise.withResolvers<void>()
informer.on('add', ({ metadata }) => {
  if (metadata?.name === 'added') added.resolve()
})
await informer.start()
const key = { namespace: 'default', name: 'key-7' }
await api.readNamespacedSecret(key)
const headers = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
// The second changes nothing.
for (let time = 0; time < 2; time++)
  await api.patchNamespacedSecret({ ...key, body: { metadata: { labels: { game: 'chess' } } } }, headers)
await api.createNamespacedSecret({ namespace: 'default', body: { metadata: { name: 'added' } } })
await added.promise
await informer.stop()
await setTimeout(0)
process.exit(3)
