import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { configMaps } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { Program } from '../../harness/program.ts'
import { widgets } from '../../server/widgets.ts'
import { recorded } from './recorded.ts'

/** An operator that is measured. */
export interface WebhookProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const path = '/validate/quota'
const name = 'bench'
/** About as many bytes as the objects of the other benchmarks have. */
const widget = {
  apiVersion: 'bench.example.com/v1',
  kind: 'Widget',
  metadata: { generateName: 'reviewed-', namespace: 'default', labels: { app: 'bench' } },
  spec: { data: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, `value ${i} `.repeat(18)])) },
}

/** Measures a webhook, directly and through the API server; `undefined`: the API server without one. */
export async function measureWebhook(
  { options, server }: SubjectContext,
  webhook: WebhookProgram | undefined,
): Promise<Metrics> {
  const address = server()
  const { url, ca = '', token } = address
  const folder = await mkdtemp(`${tmpdir()}/wherry-bench-`)
  const load = await buildGo()
  const measured = async (of: Readonly<Record<string, string>>): Promise<[p50: number, p99: number, rate: number]> => {
    const program = new Program(load, [], { BENCH_OF: 'load', BENCH_OBJECTS: String(options.requests), ...of })
    try {
      const rate = await program.number('per_s')
      return [await program.number('p50_us'), await program.number('p99_us'), rate]
    } finally {
      await program.close()
    }
  }
  const throughApiServer = async (): Promise<Metrics> => {
    await writeFile(`${folder}/widget.json`, JSON.stringify(widget))
    const [p50, p99, rate] = await measured({
      BENCH_URL: `${url}/apis/bench.example.com/v1/namespaces/default/widgets?dryRun=All`,
      BENCH_CA: ca,
      BENCH_TOKEN: token,
      BENCH_BODY: `${folder}/widget.json`,
      BENCH_EXPECTED: '"uid"',
      // The API server itself takes most of the time.
      BENCH_OBJECTS: String(Math.ceil(Number(options.requests) / 5)),
    })
    return { api_p50_us: p50, api_p99_us: p99, api_per_s: rate }
  }
  const client = new Client({ access: fromUrl(url, { ca, token }) })
  try {
    if (webhook === undefined) return await throughApiServer()
    await promisify(execFile)(load, {
      env: { BENCH_OF: 'certificate', BENCH_OBJECTS: '0', BENCH_CERTS: folder },
    })
    const cert = await readFile(`${folder}/tls.crt`, 'utf8')
    const key = await readFile(`${folder}/tls.key`, 'utf8')
    await client.apply(
      configMaps,
      { metadata: { name: 'quota', namespace: 'default' }, data: { fields: '20' } },
      { fieldManager: name },
    )
    const { port, body } = await recorded({
      cert,
      key,
      path,
      configure: async origin => {
        await client.create(validatingWebhookConfigurations, configuration(origin, cert))
      },
      ask: () => client.create(widgets, widget, { dryRun: true }),
    })
    await writeFile(`${folder}/review.json`, body)
    const program = new Program(webhook.command, webhook.args, {
      NODE_ENV: 'production',
      BENCH_URL: url,
      BENCH_CA: ca,
      BENCH_TOKEN: token,
      BENCH_OBJECTS: '0',
      BENCH_PORT: String(port),
      BENCH_PATH: path,
      BENCH_CERTS: folder,
      ...webhook.env,
    })
    try {
      const through = await throughApiServer()
      const [p50, p99, rate] = await measured({
        BENCH_URL: `https://127.0.0.1:${port}${path}`,
        BENCH_CA: cert,
        BENCH_TOKEN: '',
        BENCH_BODY: `${folder}/review.json`,
        BENCH_EXPECTED: '"allowed":true',
      })
      return { ...through, p50_us: p50, p99_us: p99, per_s: rate, rss_bytes: program.cost().rssBytes }
    } finally {
      await program.close()
    }
  } finally {
    await client.delete(validatingWebhookConfigurations, { name })
    await client.close()
    await rm(folder, { recursive: true })
  }
}

function configuration(origin: string, cert: string): object {
  return {
    metadata: { name },
    webhooks: [
      {
        name: 'quota.bench.example.com',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: `${origin}${path}`, caBundle: Buffer.from(cert).toString('base64') },
        failurePolicy: 'Fail',
        // A machine that is busy is slow, and that is no failure of a benchmark.
        timeoutSeconds: 30,
        sideEffects: 'None',
        rules: [
          { apiGroups: ['bench.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
        ],
      },
    ],
  }
}
