/** Compiled, never run: what must and what must not compile with a client. */
import { Client, type ClientOptions } from './client.ts'
import { inCluster } from './credentials/in-cluster.ts'
import { deployments } from './resources/apps.ts'
import { type ConfigMap, configMaps, nodes, pods } from './resources/core.ts'
import { clusterRoles } from './resources/rbac.ts'
import type { FromServer, PartialObjectMetadata } from './views/object.ts'

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

declare const client: Client
const key = { name: 'a', namespace: 'n' }

export async function reads(): Promise<void> {
  const whole = await client.get(configMaps, key)
  same<typeof whole, FromServer<ConfigMap> | undefined>(true)
  // What the server has has a name and a uid.
  whole?.metadata.uid.length
  const meta = await client.get(configMaps.metadata(), key)
  same<typeof meta, PartialObjectMetadata | undefined>(true)
  const { items } = await client.list(configMaps.project('keys', object => Object.keys(object.data ?? {}).length))
  same<typeof items, number[]>(true)
  for await (const event of client.watch(nodes)) if (event.type !== 'BOOKMARK') event.object.spec?.podCIDR
  // @ts-expect-error a miss is possible
  whole.data
  // @ts-expect-error a metadata view has no data
  meta?.data
  // @ts-expect-error a namespaced key needs its namespace
  await client.get(configMaps, { name: 'a' })
  // @ts-expect-error a node has no namespace
  await client.get(nodes, key)
  await client.get(clusterRoles, { name: 'system:node' })
  // @ts-expect-error only what has namespaces can be evicted
  await client.evict(nodes, { name: 'a' })
  await client.evict(pods, key)
  // The metadata of an object that was read names it.
  if (whole !== undefined) await client.delete(configMaps, whole.metadata)
  for (const { metadata } of (await client.list(nodes)).items) await client.delete(nodes, metadata)
  // @ts-expect-error metadata that was not read has no name perhaps
  await client.delete(configMaps, {} as ConfigMap['metadata'])
  // @ts-expect-error an option that is none
  await client.get(configMaps, key, { timeout: 5 })
}

export async function writes(): Promise<void> {
  const object: ConfigMap = await client.create(configMaps, { metadata: key, data: { a: 'b' } })
  await client.update(configMaps, object)
  await client.status.update(deployments, { metadata: key, status: { replicas: 1 } })
  // @ts-expect-error data of a ConfigMap is text
  await client.create(configMaps, { metadata: key, data: { a: 1 } })
  // @ts-expect-error an unknown field
  await client.apply(configMaps, { metadata: key, spec: {} })
  const meta = (await client.get(configMaps.metadata(), key)) as PartialObjectMetadata
  // @ts-expect-error metadata is not the object
  await client.update(configMaps, meta)
  // @ts-expect-error nor is it written through its own view
  await client.update(configMaps.metadata(), meta)
  // @ts-expect-error what was taken from a partial object stays partial
  await client.apply(configMaps, { ...meta })
  // But a patch of metadata is one, and is answered as such.
  const patched = await client.patch(configMaps.metadata(), key, { metadata: { labels: { a: 'b' } } })
  same<typeof patched, PartialObjectMetadata>(true)
  const data = await client.patch(
    configMaps.project('x', object => ({ data: object.data })),
    key,
    {},
  )
  // @ts-expect-error a projection is not the object
  await client.create(configMaps, data)
  // Apply takes what its manager wants to own, and no more.
  await client.apply(deployments, { metadata: key, spec: { replicas: 2 } })
  // @ts-expect-error but of the right type
  await client.apply(deployments, { metadata: key, spec: { replicas: '2' } })
}

export async function made(): Promise<ClientOptions[]> {
  const access = await inCluster()
  // @ts-expect-error a client needs somewhere to go
  new Client({})
  // @ts-expect-error but not to two places
  new Client({ access, url: 'https://x' })
  return [
    { access, gzip: false },
    { url: 'https://x', token: 't', timeoutMs: 5 },
  ]
}
