import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Release } from '../bundle/source.ts'
import { TestSource } from './source.ts'

/** A catalog as the example `catalog` serves one, without a registry. */
export class StandInCatalog extends TestSource {
  readonly #server: Server

  private constructor() {
    super()
    this.#server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost')
      // What follows `layers` is the digest of the only one.
      const [, , , what = '', name = '', , release = '', part] = pathname.split('/').map(decodeURIComponent)
      const { signal } = new AbortController()
      const json = (value: unknown): void => {
        response.writeHead(value === undefined ? 404 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(value ?? {}))
      }
      if (what === 'packages' && release === '') {
        const its = await this.next({ package: name }, undefined, signal)
        return json(its && { name, defaultChannel: 'stable', channels: [{ name: 'stable' }] })
      }
      if (what === 'packages') {
        const kept = this.kept(name, release)
        if (kept !== undefined) response.writeHead(200).end(part === 'manifest' ? kept.manifest : kept.archive)
        else json(undefined)
        return
      }
      const head: Release | undefined = await this.next({ package: name }, undefined, signal)
      if (what === 'channels') json(head && { head: head.name, releases: [head], metadata: {} })
      else json(head && [head].filter(one => !request.url?.includes(`name=${one.name}&`)))
    })
  }

  static async start(): Promise<StandInCatalog> {
    const catalog = new StandInCatalog()
    catalog.#server.listen(0, '127.0.0.1')
    await once(catalog.#server, 'listening')
    return catalog
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/catalogs/community`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}
