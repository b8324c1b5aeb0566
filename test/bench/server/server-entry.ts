/** The process of the API server that a bench's subjects talk to: starts and fills it, answers with its address. */
import { startApiServer } from '@wherry/testing'
import type { ServerAddress, ServerSpec } from '../harness/bench.ts'
import { startCanned } from './canned.ts'
import { fillReal } from './fill-real.ts'
import { fillSource, managedSource, podSource, secretSource } from './fill-source.ts'
import { startMany } from './many.ts'
import { createRings, shardedSource } from './sharded.ts'

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
  clusterServiceVersions = 0,
  canned,
  secrets = false,
  real = false,
  empty = false,
  optOut = false,
  shards = false,
  objects,
}: ServerSpec & { readonly objects: number }): Promise<ServerAddress> {
  if (canned === 'many') return startMany()
  if (canned !== undefined) return startCanned(objects, canned)
  if (real) {
    const server = await startApiServer({ kind: 'real', clusterObjects: false })
    await fillReal(server, empty ? 0 : objects)
    return { url: server.url, ca: server.ca, token: server.token, emptyVersion: '0' }
  }
  // A bench counts its objects, so the server holds no others. Nothing is forgotten while a bench lasts, so that each run can watch from the empty server on.
  const server = await startApiServer({ tls, clusterObjects: false, compactionMs: Number.POSITIVE_INFINITY })
  const emptyVersion = String(await server.revision())
  const source = optOut ? managedSource : shards ? shardedSource : fillSource
  await server.fill(source(objects))
  if (secrets) await server.fill(secretSource(objects))
  if (pods > 0) await server.fill(podSource(Math.round(objects * pods)))
  if (clusterServiceVersions > 0) {
    const { fillClusterServiceVersions } = await import('./fill-csvs.ts')
    await fillClusterServiceVersions(server, Math.round(objects * clusterServiceVersions))
  }
  const address = { url: server.url, ca: server.ca, token: server.token, emptyVersion }
  if (shards) await createRings(address)
  return optOut ? { ...address, optOut: await startOptOut(tls, objects) } : address
}

async function startOptOut(tls: boolean, objects: number): Promise<ServerAddress> {
  const server = await startApiServer({ tls, clusterObjects: false, managedFieldsOptOut: true })
  const emptyVersion = String(await server.revision())
  await server.fill(managedSource(objects))
  return { url: server.url, ca: server.ca, token: server.token, emptyVersion }
}
