/** The process of the API server that a bench's subjects talk to: starts and fills it, answers with its address. */
import { startApiServer } from '@wherry/testing'
import type { ServerAddress, ServerSpec } from '../harness/bench.ts'
import { startCanned } from './canned.ts'
import { fillSource, podSource } from './fill-source.ts'

process.on('message', (order: ServerSpec & { readonly objects: number }) => {
  start(order).then(
    address => process.send?.(address),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function start({
  tls,
  pods = 0,
  canned,
  objects,
}: ServerSpec & { readonly objects: number }): Promise<ServerAddress> {
  if (canned !== undefined) return startCanned(objects, canned)
  // Nothing is forgotten while a bench lasts, so that each run can watch from the empty server on.
  const server = await startApiServer({ tls, compactionMs: Number.POSITIVE_INFINITY })
  const emptyVersion = String(await server.revision())
  await server.fill(fillSource(objects))
  if (pods > 0) await server.fill(podSource(Math.round(objects * pods)))
  return { url: server.url, ca: server.ca, token: server.token, emptyVersion }
}
