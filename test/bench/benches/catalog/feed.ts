/** A process that has the releases: a registry with their index, and a server that sends them whole. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { jsonBytes, loadData } from '@wherry/data'
import { indexType } from '../../../../examples/catalog/catalog.ts'
import { CatalogIndex } from '../../../../examples/catalog/index/catalog-index.ts'
import { certificateOfLoopback } from '../../../../examples/catalog/testkit/certificate.ts'
import { push } from '../../../../examples/catalog/testkit/registry.ts'
import { indexOf, manyReleases } from '../../../../examples/catalog/testkit/releases.ts'
import { StandInRegistry } from '../../../../examples/catalog/testkit/stand-in-registry.ts'
import type { Feed } from './measure.ts'

process.on('message', ({ count }: { readonly count: number }) => {
  serve(count).then(
    feed => process.send?.(feed),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))

async function serve(count: number): Promise<Feed> {
  const bases = loadData().clusterServiceVersions.filter(one => jsonBytes(one) < 100_000)
  const registry = await StandInRegistry.start('none')
  const publish = (index: CatalogIndex, tag: string): Promise<unknown> =>
    push(registry, 'catalogs/bench', { content: index.toBytes(), mediaType: indexType, tag })
  await publish(new CatalogIndex(), 'empty')
  await publish(indexOf(manyReleases(bases, count)), 'full')
  const { cert, key } = await certificateOfLoopback()
  const server = createServer({ cert, key }, (_, response) => {
    const hash = createHash('sha256')
    const lines = function* (): Generator<string> {
      for (const { metadata } of manyReleases(bases, count)) {
        const line = `${JSON.stringify(metadata)}\n`
        hash.update(line)
        yield line
      }
      response.addTrailers({ digest: hash.digest('hex') })
    }
    response.writeHead(200, { trailer: 'digest' })
    Readable.from(lines()).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { host: registry.host, ca: registry.ca, whole: `https://127.0.0.1:${port}`, wholeCa: cert }
}
