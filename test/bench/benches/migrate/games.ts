import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type IsolatedApiServer, startApiServer } from '@wherry/testing'
import type { ServerAddress } from '../../harness/bench.ts'
import { define } from '../../server/define.ts'
import { clientFor } from '../../server/wherry.ts'

export const group = 'bench.example.com'
export const plural = 'games'
export const definition = 'games.bench.example.com'

/** A server in a process of its own, with so many games that are stored at v1 and are to be stored at v2. */
export async function startWithGames(count: number): Promise<{ server: IsolatedApiServer; address: ServerAddress }> {
  const server = await startApiServer({ isolate: true, tls: true })
  const address = { url: server.url, ca: server.ca, token: server.token, emptyVersion: '0' }
  await using client = clientFor(address)
  await define(client, { metadata: { name: definition }, spec: specStoredAt('v1') })
  // Made in the server's process: this one's memory is measured.
  const module = new URL('./game-source.ts', import.meta.url).href
  await server.fill({ module, export: 'gameSource', args: [count] })
  await client.patch(customResourceDefinitions, { name: definition }, { spec: specStoredAt('v2') })
  await server.resetStats()
  return { server, address }
}

function specStoredAt(storage: string): CustomResourceDefinition['spec'] {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = ['v1', 'v2'].map(name => ({ name, served: true, storage: name === storage, schema }))
  const names = { plural, singular: 'game', kind: 'Game', listKind: 'GameList' }
  return { group, scope: 'Namespaced', names, versions }
}
