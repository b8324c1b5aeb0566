import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { type Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { apiServices } from '@wherry/client/resources/apiregistration'
import { services } from '@wherry/client/resources/core'
import { expect, vi } from 'vitest'

const [group, version] = ['weather.example.com', 'v1']
const apiVersion = `${group}/${version}`

/** What the API serves: it has `get` and `list`, no watch, and lists without a resourceVersion. */
export interface Reading extends KubernetesObject {
  celsius: number
}

export const readings: Resource<Reading, 'namespaced'> = defineResource<Reading>({
  group,
  version,
  kind: 'Reading',
  plural: 'readings',
  namespaced: true,
})

/** An API server of somebody else, as metrics.k8s.io has one, that a real API server passes requests on to. */
export class AggregatedApi {
  celsius = 20
  readonly #server: ReturnType<typeof createServer>

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    server.on('request', ({ url = '' }, answer) => {
      const [status, body] = this.#answer(new URL(url, 'https://api'))
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }

  /** Starts it, and waits until the API server behind `client` finds it well. */
  static async start(client: Client): Promise<AggregatedApi> {
    const { certPem, keyPem } = createCertificateAuthority().issueServer()
    const server = createServer({ cert: certPem, key: keyPem })
    const api = new AggregatedApi(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const service = { name: 'weather', namespace: 'default' }
    await client.create(services, { metadata: service, spec: { type: 'ExternalName', externalName: 'localhost' } })
    await client.create(apiServices, {
      metadata: { name: `${version}.${group}` },
      spec: {
        ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
        ...{ service: { ...service, port }, insecureSkipTLSVerify: true },
      },
    })
    await available(client, 'True')
    return api
  }

  /** Makes the API server ask where nobody listens, and waits until it has noticed, which it does at once then. */
  async becomeIll(client: Client): Promise<void> {
    await client.patch(apiServices, { name: `${version}.${group}` }, { spec: { service: { port: 1 } } })
    await available(client, 'False')
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #answer({ pathname, searchParams }: URL): [status: number, body: object] {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure' }
    if (pathname === `/apis/${apiVersion}`) {
      const resource = { name: 'readings', singularName: '', namespaced: true, kind: 'Reading', verbs: ['get', 'list'] }
      return [200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources: [resource] }]
    }
    if (searchParams.has('watch')) {
      const message = 'the server does not allow this method on the requested resource'
      return [405, { ...status, reason: 'MethodNotAllowed', message, code: 405 }]
    }
    const metadata = { name: 'a', namespace: 'default', creationTimestamp: null }
    const reading = { kind: 'Reading', apiVersion, metadata, celsius: this.celsius }
    if (pathname.endsWith('/readings'))
      return [200, { kind: 'ReadingList', apiVersion, metadata: {}, items: [reading] }]
    if (pathname.endsWith('/readings/a')) return [200, reading]
    return [404, { ...status, reason: 'NotFound', code: 404 }]
  }
}

async function available(client: Client, status: 'True' | 'False'): Promise<void> {
  await vi.waitFor(async () => {
    const found = await client.get(apiServices, { name: `${version}.${group}` })
    expect(found?.status?.conditions).toMatchObject([{ type: 'Available', status }])
  })
}
