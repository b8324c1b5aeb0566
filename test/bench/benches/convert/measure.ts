import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { Program } from '../../harness/program.ts'
import { gadgets } from './gadgets.ts'

/** An operator that is measured. */
export interface ConversionProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly path: string
}

const name = 'gadgets.bench.example.com'
/** How often the API server is asked until it serves or converts. */
const attempts = 400
/** How often it is asked until the definition is gone: it waits a minute for the objects to go, and then tries again. */
const removalAttempts = 1500
const data = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, `value ${i} `.repeat(18)]))

/** Measures a conversion; `undefined`: lists that need none. */
export async function measureConversion(
  { options, server }: SubjectContext,
  webhook: ConversionProgram | undefined,
): Promise<Metrics> {
  const { url, ca = '', token } = server()
  const folder = await mkdtemp(`${tmpdir()}/wherry-bench-`)
  const client = new Client({ access: fromUrl(url, { ca, token }) })
  const agent = new Agent({ ca, keepAlive: true })
  const asked = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const request = get(`${url}/apis/bench.example.com/${path}`, {
      agent,
      headers: { authorization: `Bearer ${token}` },
    })
    const [response] = await once(request, 'response')
    return { status: response.statusCode, body: await text(response) }
  }
  try {
    await promisify(execFile)(await buildGo(), {
      env: { BENCH_OF: 'certificate', BENCH_OBJECTS: '0', BENCH_CERTS: folder },
    })
    const cert = await readFile(`${folder}/tls.crt`, 'utf8')
    await client.create(customResourceDefinitions, definition as never)
    await patiently(() => client.list(gadgets))
    const count = Number(options.gadgets)
    const metadata = (at: number): object => ({ name: `gadget-${at}`, namespace: 'default', labels: { app: 'bench' } })
    for (let from = 0; from < count; from += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, count - from) }, (_, i) =>
          client.create(gadgets, { metadata: metadata(from + i), spec: { data } } as never),
        ),
      )
    const { resourceVersion } = await client.list(gadgets)
    const port = await freePort()
    const clientConfig = {
      url: `https://127.0.0.1:${port}${webhook?.path ?? '/convert'}`,
      caBundle: Buffer.from(cert).toString('base64'),
    }
    const program =
      webhook &&
      new Program(webhook.command, webhook.args, {
        NODE_ENV: 'production',
        BENCH_URL: url,
        BENCH_CA: ca,
        BENCH_TOKEN: token,
        BENCH_OBJECTS: '0',
        BENCH_PORT: String(port),
        BENCH_CERTS: folder,
        ...webhook.env,
      })
    try {
      const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
      // A new spec has the API server begin its caches again, so that none has the version that is listed.
      if (program !== undefined) await client.patch(customResourceDefinitions, { name }, { spec: { conversion } })
      const version = program === undefined ? 'v1' : 'v1beta1'
      const list = `${version}/gadgets?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`
      const listed = async (): Promise<number> => {
        const began = performance.now()
        const { status, body } = await asked(list)
        const ms = performance.now() - began
        const { items = [] } = JSON.parse(body) as { items?: { spec?: { data?: object; entries?: object[] } }[] }
        const whole = items.filter(({ spec }) => (program === undefined ? spec?.data : spec?.entries?.length === 10))
        if (status !== 200 || whole.length !== count)
          throw new Error(`${status} ${whole.length}: ${body.slice(0, 400)}`)
        return ms
      }
      await patiently(listed)
      const all: number[] = []
      for (let at = 0; at < Number(options.lists); at++) all.push(await listed())
      const middle = all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] as number
      return { list_ms: middle, ...(program !== undefined && { rss_bytes: program.cost().rssBytes }) }
    } finally {
      await program?.close()
    }
  } finally {
    agent.destroy()
    await rm(folder, { recursive: true })
    // An error of the measurement comes first: it may be why the definition stays.
    await removed(client).catch(error => console.error(error))
    await client.close()
  }
}

/** Without a webhook, which may be gone, the API server can read the objects that it deletes. */
async function removed(client: Client): Promise<void> {
  await client.patch(customResourceDefinitions, { name }, { spec: { conversion: { strategy: 'None', webhook: null } } })
  await client.delete(customResourceDefinitions, { name })
  await patiently(async () => {
    const left = await client.get(customResourceDefinitions, { name })
    if (left !== undefined) throw new Error(`the definition is still there: ${JSON.stringify(left.status?.conditions)}`)
  }, removalAttempts)
}

async function patiently<T>(attempt: () => Promise<T>, most = attempts): Promise<T> {
  for (let left = most; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0) throw error
      await pause(100)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } }
const definition = {
  metadata: { name },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v1beta1', served: true, storage: false, schema },
    ],
  },
}
