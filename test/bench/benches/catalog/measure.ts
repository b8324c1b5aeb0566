import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { createInterface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Catalog } from '../../../../examples/catalog/catalog.ts'
import { imageReference } from '../../../../examples/catalog/registry/reference.ts'
import { TestProxy } from '../../../../examples/catalog/testkit/proxy.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { startChild } from '../../harness/child.ts'
import { readMemory } from '../../harness/memory.ts'

/** Where a feed is. */
export interface Feed {
  readonly host: string
  readonly ca: string
  readonly whole: string
  readonly wholeCa: string
}

export async function run({ options }: SubjectContext): Promise<Metrics> {
  const count = Number(options.count)
  // The releases whole are more than Node's own limit.
  setFlagsFromString('--max-old-space-size=12000')
  const child = startChild(new URL('./feed.ts', import.meta.url), 'the registry')
  try {
    const feed = (await child.ask({ count }, 600_000)) as Feed
    return options.whole === true ? await measureWhole(feed, count) : await measurePointers(feed, count)
  } finally {
    await child.close()
  }
}

/** The RSS once a collection gives nothing back any more: what was needed to connect is given back late. */
function settledRss(): number {
  let rss = readMemory().rss
  for (let next = readMemory().rss; next < rss; next = readMemory().rss) rss = next
  return rss
}

async function measurePointers({ host, ca }: Feed, count: number): Promise<Metrics> {
  const catalog = new Catalog()
  const at = (tag: string) => imageReference(`${host}/catalogs/bench:${tag}`)
  catalog.configure(at('empty'), { ca })
  await catalog.poll()
  const before = settledRss()
  const begin = performance.now()
  catalog.configure(at('full'), { ca })
  await catalog.poll()
  const ready_ms = performance.now() - begin
  const rss_bytes = settledRss() - before
  const found = catalog.index?.channels.reduce((sum, { releases }) => sum + releases.length, 0)
  if (found !== count) throw new Error(`the index has ${found} releases`)
  const proxy = await TestProxy.start()
  catalog.configure(at('full'), { ca, proxy: proxy.url })
  await catalog.poll()
  // undici takes up a connection again in the next turn of the loop, and polls are minutes apart.
  await turn()
  const sent = proxy.bytes
  if (await catalog.poll()) throw new Error('the index has changed')
  const poll_bytes = proxy.bytes - sent
  await catalog.close()
  await proxy.close()
  return { rss_bytes, ready_ms, poll_bytes }
}

async function measureWhole({ host, ca, whole, wholeCa }: Feed, count: number): Promise<Metrics> {
  const catalog = new Catalog()
  catalog.configure(imageReference(`${host}/catalogs/bench:empty`), { ca })
  await catalog.poll()
  const before = settledRss()
  const begin = performance.now()
  const bundles = new Map<string, unknown>()
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(whole, { ca: wholeCa }, resolve).on('error', reject),
  )
  const hash = createHash('sha256')
  answer.on('data', (piece: Buffer) => hash.update(piece))
  for await (const line of createInterface({ input: answer })) {
    const metadata = JSON.parse(line) as { readonly metadata: { readonly name: string } }
    bundles.set(metadata.metadata.name, metadata)
  }
  if (hash.digest('hex') !== answer.trailers.digest) throw new Error('the releases are not what was sent')
  const ready_ms = performance.now() - begin
  const rss_bytes = settledRss() - before
  if (bundles.size !== count) throw new Error(`there are ${bundles.size} releases`)
  await catalog.close()
  return { rss_bytes, ready_ms }
}
