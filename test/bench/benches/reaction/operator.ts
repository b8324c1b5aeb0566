import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { percentile } from '../../harness/statistics.ts'

const PRIMARIES = 100
const namespace = 'default'

/**
 * Changes the Secrets that primary objects refer to, one after the other, and measures each time from the request on until
 * the reconcile of that object begins. `narrow`: it reads the Secret, and is tracked; `informer`: a map function over an
 * informer of all Secrets.
 */
export async function run({ objects: changes, options, server }: SubjectContext): Promise<Metrics> {
  const { url, ca, token } = server()
  const access = fromUrl(url, { ca, token })
  const writer = new Client({ access })
  const operatorClient = new Client({ access })
  const prefix = `${options.mode}-${process.pid}`
  const names = Array.from({ length: PRIMARIES }, (_, index) => `${prefix}-${index}`)
  for (const name of names) {
    const metadata = { namespace, name, labels: { bench: prefix } }
    await writer.create(configMaps, { metadata, data: {} })
    await writer.create(secrets, { metadata, data: {} })
  }
  let began: ((name: string) => void) | undefined
  const operator = new Operator({ name: 'reaction', client: operatorClient })
  const controller = operator.controller('bench').for(configMaps.within({ labels: { bench: prefix } }))
  if (options.mode === 'informer')
    controller.watches(secrets, ({ metadata }) => ({ namespace, name: metadata?.name ?? '' }))
  controller.reconcile(async ({ key, read }) => {
    began?.(key.name)
    if (options.mode === 'narrow') await read.get(secrets, { name: key.name })
  })
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  try {
    await operator.settled()
    const delays: number[] = []
    for (let change = 0; change < changes; change++) {
      const name = names[change % names.length] as string
      const received = new Promise<number>(resolve => {
        began = one => one === name && resolve(performance.now())
      })
      const start = performance.now()
      await writer.patch(secrets, { namespace, name }, { data: { change: btoa(String(change)) } })
      delays.push((await received) - start)
    }
    return { p50_us: percentile(delays, 0.5) * 1000, p99_us: percentile(delays, 0.99) * 1000 }
  } finally {
    stop.abort()
    await running
    await operatorClient.close()
    await writer.close()
  }
}
