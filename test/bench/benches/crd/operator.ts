import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { startApiServer } from '@wherry/testing'
import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'
import { define } from '../../server/define.ts'
import { game } from './game.crd.ts'
import { games } from './game.ts'

const READINGS = 5
const BETWEEN_MS = 1000

/** Runs the operator until it has reconciled an object, and takes the least RSS of the seconds after. */
export async function run({ options }: SubjectContext): Promise<Metrics> {
  await using server = await startApiServer({ isolate: true })
  const client = new Client({ access: fromUrl(server.url, { ca: server.ca, token: server.token }) })
  await define(client, game.definition)
  await client.create(games, { metadata: { namespace: 'default', name: 'one' }, spec: { players: 2 } })
  await client.close()
  const module = options.withSchema === true ? './with-schema.ts' : './without-schema.ts'
  const program = new Program(
    process.execPath,
    [...deployedOptions, await asJavaScript(new URL(module, import.meta.url))],
    {
      NODE_ENV: 'production',
      BENCH_URL: server.url,
      BENCH_CA: server.ca ?? '',
      BENCH_TOKEN: server.token,
    },
  )
  try {
    let { rssBytes } = await program.says('ready')
    for (let i = 0; i < READINGS; i++) {
      await new Promise(resolve => setTimeout(resolve, BETWEEN_MS))
      rssBytes = program.cost().rssBytes
    }
    return { rss_bytes: rssBytes }
  } finally {
    await program.close()
  }
}
