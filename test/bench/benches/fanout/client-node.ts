import { performance } from 'node:perf_hooks'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { Source } from './source.ts'

/** Fewer events than ours: each comes ten times over, and it is the rate that counts. */
const EVENTS = 20_000

/** The naive way: each consumer has an informer of its own. */
export async function run({ objects, options, start }: SubjectContext): Promise<Metrics> {
  const registrars = options.registrars as number
  const source = new Source()
  await source.start(objects)
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'bench', server: source.url, skipTLSVerify: true }],
    users: [{ name: 'bench' }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  })
  const api = config.makeApiClient(CoreV1Api)
  let heard = 0
  let left = 0
  let ended: (() => void) | undefined
  const informers: { stop(): Promise<void> }[] = []
  const add = async (): Promise<void> => {
    const list = () => api.listConfigMapForAllNamespaces()
    const informer = makeInformer<V1ConfigMap>(config, '/api/v1/configmaps', list)
    informer.on('update', ({ metadata }) => {
      heard++
      if (metadata?.name === 'config-map-0' && --left === 0) ended?.()
    })
    await informer.start()
    informers.push(informer)
  }
  await add()
  const before = await source.count()
  const begin = readMemory().heap
  for (let i = 1; i < registrars; i++) await add()
  const heap = readMemory().heap - begin
  left = registrars
  const all = new Promise<void>(resolve => {
    ended = resolve
  })
  const from = performance.now()
  await source.burst(EVENTS, objects)
  await all
  const seconds = (performance.now() - from) / 1000
  const { rss } = readMemory()
  const after = await source.count()
  await Promise.all(informers.map(informer => informer.stop()))
  await source.close()
  return {
    rss_bytes: rss - start.rss,
    received_bytes: after.bytes,
    requests: after.requests,
    added_requests: after.requests - before.requests,
    events_per_s: EVENTS / seconds,
    deliveries_per_s: heard / seconds,
    heap_per_registrar_bytes: heap / (registrars - 1),
  }
}
