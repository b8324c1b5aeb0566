import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { conditionOf } from '@wherry/controller'
import type { Stage } from '../../tools/runner/stage.ts'
import { type FlowCollector, flowCollectors } from './flow-collector.ts'

const lokiCa = { namespace: 'loki', name: 'loki-gateway-ca' }
const kafkaCa = { namespace: 'kafka', name: 'kafka-cluster-ca-cert' }
const collector: FlowCollector = {
  metadata: { name: 'cluster' },
  spec: {
    namespace: 'netobserv',
    loki: {
      mode: 'Manual',
      manual: { tls: { enable: true, caCert: { type: 'configmap', certFile: 'service-ca.crt', ...lokiCa } } },
    },
    kafka: {
      address: 'kafka-bootstrap.kafka:9093',
      topic: 'network-flows',
      tls: { enable: true, caCert: { type: 'secret', certFile: 'ca.crt', ...kafkaCa } },
    },
  },
}

/** What else is in the cluster: so many ConfigMaps and as many Secrets, each of so many bytes as JSON. */
const others = { count: 60, bytes: 250_000 }

/** Plays the users of the operator, runs it both ways, and compares its memory. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const message = async (): Promise<string | undefined> =>
    conditionOf((await client.get(flowCollectors, { name: 'cluster' }))?.status?.conditions, 'CertificatesReady')
      ?.message
  const bundle = async (): Promise<Readonly<Record<string, string>> | null | undefined> =>
    (await client.get(configMaps, { namespace: 'netobserv', name: 'cluster-ca' }))?.data
  const holds = (file: string, certificate: string) => async () => (await bundle())?.[file] === certificate
  const rotate = async (to: string): Promise<void> => {
    await client.patch(configMaps, lokiCa, { data: { 'service-ca.crt': `${to} of loki` } })
    await client.patch(secrets, kafkaCa, { stringData: { 'ca.crt': `${to} of kafka` } })
    await until('the new CA of Loki is in the bundle', holds('loki.crt', `${to} of loki`))
    await until('the new CA of Kafka is in the bundle', holds('kafka.crt', `${to} of kafka`))
  }

  for (const name of ['netobserv', 'loki', 'kafka', 'others']) await client.create(namespaces, { metadata: { name } })
  await fill(client)
  say(`a cluster with ${others.count} other ConfigMaps and Secrets, ${others.bytes / 1000} KB each`)

  const narrow = start()
  await client.create(configMaps, { metadata: lokiCa, data: { 'service-ca.crt': 'first of loki' } })
  await client.create(flowCollectors, collector)
  const missing = 'missing: ca.crt of secret kafka/kafka-cluster-ca-cert for kafka'
  await until('the missing Secret is named', async () => (await message()) === missing)
  await client.create(secrets, { metadata: kafkaCa, stringData: { 'ca.crt': 'first of kafka' } })
  await until('all certificates are found', async () => (await message()) === 'all are there')
  say('a Secret that is missing is named, and found when it comes')

  await rotate('second')
  say('the rotation of both CAs is seen')
  const ofNarrow = await narrow.memory()
  await narrow.stop()

  const full = start('--informers')
  await rotate('third')
  const ofFull = await full.memory()
  await rest(full, '--informers')
  say(
    `memory: ${mb(ofNarrow.rss)} narrow, ${mb(ofFull.rss)} with informers of both kinds (RSS after a full collection;`,
  )
  say('  in both is the library that reads a kubeconfig, which is not loaded in a cluster)')
  // Informers hold all of it. That is asserted of the heap: what the system makes of it is not ours.
  const saved = ofFull.heap - ofNarrow.heap
  if (saved < others.count * others.bytes) throw new Error(`narrow holds only ${mb(saved)} less`)
}

async function fill(client: Stage['client']): Promise<void> {
  const text = 'x'.repeat(others.bytes)
  // A Secret's data is base64, a third longer than what it stands for.
  const encoded = Buffer.from(text.slice(0, Math.floor(others.bytes / 4) * 3)).toString('base64')
  for (let i = 0; i < others.count; i++) {
    const metadata = { namespace: 'others', name: `other-${i}` }
    await client.create(configMaps, { metadata, data: { file: text } })
    await client.create(secrets, { metadata, data: { file: encoded } })
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
