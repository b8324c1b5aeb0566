/** A process with the API servers of so many clusters: starts and fills them, answers with their addresses. */
import { startApiServer } from '@wherry/testing'
import type { ServerAddress } from '../../harness/bench.ts'
import { fillSource } from '../../server/fill-source.ts'
import { objectsOfCluster } from './objects.ts'

process.on('message', ({ count }: { readonly count: number }) => {
  start(count).then(
    addresses => process.send?.(addresses),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function start(count: number): Promise<ServerAddress[]> {
  const addresses: ServerAddress[] = []
  for (let index = 0; index < count; index++) {
    const server = await startApiServer({ clusterObjects: false, controllers: false })
    await server.fill(fillSource(objectsOfCluster))
    addresses.push({ url: server.url, ca: server.ca, token: server.token, emptyVersion: '0' })
  }
  return addresses
}
