import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { type IsolatedApiServer, startApiServer } from '@wherry/testing'
import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'
import { defineWidgets } from '../../server/define-widgets.ts'
import { widgets } from '../../server/widgets.ts'

const MINUTE_MS = 60_000

/** Runs the operator for so many minutes in which nothing happens. */
export async function run({ objects, options }: SubjectContext): Promise<Metrics> {
  const minutes = Number(options.minutes ?? objects)
  await using server = await startApiServer({ isolate: true })
  const client = new Client({ access: fromUrl(server.url, { ca: server.ca, token: server.token }) })
  await defineWidgets(client)
  await client.create(widgets, { metadata: { namespace: 'default', name: 'one' } })
  await client.close()
  const program = new Program(
    process.execPath,
    [...deployedOptions, await asJavaScript(new URL('./program.ts', import.meta.url))],
    {
      NODE_ENV: 'production',
      BENCH_URL: server.url,
      BENCH_CA: server.ca ?? '',
      BENCH_TOKEN: server.token,
    },
  )
  try {
    const { ms } = await program.says('ready')
    const before = await requests(server)
    await new Promise(resolve => setTimeout(resolve, minutes * MINUTE_MS))
    const { rssBytes, anonymousBytes } = program.cost()
    const perMinute = ((await requests(server)) - before) / minutes
    return { start_ms: ms, rss_bytes: rssBytes, anon_bytes: anonymousBytes, requests_per_min: perMinute }
  } finally {
    await program.close()
  }
}

/** Requests so far, but those for leases. */
async function requests(server: IsolatedApiServer): Promise<number> {
  const { byVerb } = await server.stats()
  let count = 0
  for (const resources of Object.values(byVerb)) {
    for (const [resource, counted] of Object.entries(resources)) {
      if (!resource.startsWith('leases')) count += counted.requests
    }
  }
  return count
}
