import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { namespaces } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { Program } from '../../harness/program.ts'
import { widgets } from '../../server/widgets.ts'

/** How many primary objects are created at a time. */
const atATime = 32

/** A program that is measured. */
export interface Operator {
  readonly command: string
  readonly args: readonly string[]
  /** It reports its heap: it is run without owned objects, too. */
  readonly reportsHeap: boolean
}

/** Measures the second start of an operator in a namespace of its own. Where it has not run yet, it makes its objects before. */
export async function measureApply(
  { objects, options, server }: SubjectContext,
  runtime: string,
  operator: Operator,
): Promise<Metrics> {
  const of = String(options.of)
  const count = of === 'deployments' ? Math.ceil(objects / 5) : objects
  const namespace = `${runtime}-${of}`
  const { url, ca = '', token } = server()
  const start = (mode: 'create' | 'idle' | 'apply'): Program =>
    new Program(operator.command, operator.args, {
      NODE_ENV: 'production',
      BENCH_URL: url,
      BENCH_CA: ca,
      BENCH_TOKEN: token,
      BENCH_OBJECTS: String(count),
      BENCH_NAMESPACE: namespace,
      BENCH_OF: of,
      BENCH_MODE: mode,
    })
  const during = async <T>(program: Program, what: (program: Program) => Promise<T>): Promise<T> => {
    try {
      return await what(program)
    } finally {
      await program.close()
    }
  }
  const client = new Client({ access: fromUrl(url, { ca, token }) })
  try {
    const kind = of === 'deployments' ? 'deployments' : 'configmaps'
    const requests = (): Promise<number> => requestsOf({ url, ca, token }, ['widgets', kind])
    if (await createPrimaries(client, namespace, count)) await during(start('create'), program => program.says('ready'))
    const idle = operator.reportsHeap ? await during(start('idle'), program => program.number('heap')) : 0
    const before = await requests()
    return await during(start('apply'), async program => {
      await program.says('ready')
      const heap = operator.reportsHeap ? await program.number('heap') : 0
      const { rssBytes } = await program.says('settled')
      const resyncMs = await program.number('resync')
      return {
        ...(operator.reportsHeap && { heap_per_object_bytes: (heap - idle) / count }),
        restart_requests: (await requests()) - before,
        resync_ms: resyncMs,
        rss_bytes: rssBytes,
      }
    })
  } finally {
    await client.close()
  }
}

/** Gives whether there were none before. */
async function createPrimaries(client: Client, namespace: string, count: number): Promise<boolean> {
  if ((await client.get(namespaces, { name: namespace })) !== undefined) return false
  await client.create(namespaces, { metadata: { name: namespace } })
  let next = 0
  const create = async (): Promise<void> => {
    while (next < count) {
      const name = `w${String(next++).padStart(5, '0')}`
      await client.create(widgets, { metadata: { name, namespace }, spec: { data: { size: 'small' } } })
    }
  }
  await Promise.all(Array.from({ length: atATime }, create))
  return true
}

/** How many requests the server has counted for the objects of some resources, but for lists and watches. */
async function requestsOf(
  { url, ca, token }: { readonly url: string; readonly ca: string; readonly token: string },
  resources: readonly string[],
): Promise<number> {
  const metrics = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const asked = request(`${url}/metrics`, { ca, headers, agent: false }, answer => {
      if (answer.statusCode === 200) text(answer).then(resolve, reject)
      else reject(new Error(`/metrics: ${answer.statusCode}`))
    })
    asked.on('error', reject).end()
  })
  return metrics
    .split('\n')
    .filter(line => line.startsWith('apiserver_request_total{'))
    .filter(line => resources.includes(/resource="([^"]*)"/.exec(line)?.[1] ?? ''))
    .filter(line => !/verb="(LIST|WATCH)"/.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
