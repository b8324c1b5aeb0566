/**
 * Starts an API server in this process, creates what the manifests say, watches, makes changes, and prints what the
 * watches saw. Ends by itself.
 */
import { readdir, readFile } from 'node:fs/promises'
import { Client, defineResource, fromUrl, type KubernetesObject, type View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { parseAllDocuments } from 'yaml'

interface Game extends KubernetesObject {
  spec?: { players?: number }
}

const games = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const begin = performance.now()
function say(line: string): void {
  console.log(`${String(Math.round(performance.now() - begin)).padStart(5)} ms  ${line}`)
}

const server = await startApiServer()
const client = new Client({ access: fromUrl(server.url, { token: server.token, ca: server.ca }) })
say(`an API server answers at ${server.url}`)

const folder = new URL('manifests/', import.meta.url)
for (const file of (await readdir(folder)).sort()) {
  const documents = parseAllDocuments(await readFile(new URL(file, folder), 'utf8'))
  for (const document of documents) await create(document.toJS() as KubernetesObject)
}

const watches = [
  follow(games.within({ namespaces: ['arcade'] }), 5),
  follow(configMaps.within({ namespaces: ['arcade'] }).metadata(), 4),
]
await Promise.all(watches.map(watch => watch.synced))
await client.patch(games, { namespace: 'arcade', name: 'chess' }, { spec: { players: 4 } })
await client.delete(games, { namespace: 'arcade', name: 'solitaire' })
await client.create(configMaps, { metadata: { namespace: 'arcade', name: 'prices' }, data: { coin: '1' } })
say('deleting the namespace with all that is in it')
await client.delete(namespaces, { name: 'arcade' })
await Promise.all(watches.map(watch => watch.done))

const { total, connections } = await server.stats()
say(`done: ${total.requests} requests on ${connections.total} connections, ${total.objectBytes} bytes of objects`)
await client.close()
await server.close()

/** Creates what a manifest says, at the endpoint that the server names for it; waits for a definition to be served. */
async function create(object: KubernetesObject): Promise<void> {
  const { apiVersion = '', kind = '', metadata = {} } = object
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const found = await client.discover({ group, version, kind })
  if (found === undefined) throw new Error(`the server knows no ${kind} of ${apiVersion}`)
  const definition = { group, version, kind, plural: found.plural }
  await (found.namespaced
    ? client.create(defineResource<KubernetesObject>({ ...definition, namespaced: true }), object)
    : client.create(defineResource<KubernetesObject>({ ...definition, namespaced: false }), object))
  say(`created ${kind} ${metadata.name}`)
  if (kind === 'CustomResourceDefinition') await established(metadata.name ?? '')
}

async function established(name: string): Promise<void> {
  const view = customResourceDefinitions.within({ fields: `metadata.name=${name}` })
  for await (const event of client.watch(view)) {
    if (event.type === 'BOOKMARK') continue
    if (event.object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) break
  }
  say(`${name} is established`)
}

/** Prints so many events of a view. `synced`: what was there has been printed; `done`: all of them have. */
function follow<C extends { metadata?: { name?: string | undefined } | undefined }>(
  view: View<C>,
  count: number,
): { readonly synced: Promise<void>; readonly done: Promise<void> } {
  const { plural } = view.resource
  const synced = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  let left = count
  const watch = client.watchEach(view, {
    event(type, object) {
      say(`${plural}: ${type} ${object.metadata?.name}`)
      if (--left > 0) return
      watch.abort()
      done.resolve()
    },
    bookmark(_resourceVersion, initialEventsEnd) {
      if (!initialEventsEnd) return
      say(`${plural}: that is all there is`)
      synced.resolve()
    },
    end({ how }) {
      done.reject(new Error(`the watch of ${plural} ended: ${how}`))
    },
  })
  return { synced: synced.promise, done: done.promise }
}
