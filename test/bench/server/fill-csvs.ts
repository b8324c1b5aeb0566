import { Client } from '@wherry/client'
import { loadData, NAMESPACES } from '@wherry/data'
import type { EmbeddedApiServer } from '@wherry/testing'
import { define } from './define.ts'

/**
 * Defines ClusterServiceVersions, without the schema, which only checks writes, and makes `count` of them: the
 * ten of `WHERRY_DATA` (or their stand-ins) over and over under other names. Says on stderr which.
 */
export async function fillClusterServiceVersions(server: EmbeddedApiServer, count: number): Promise<void> {
  const { note, clusterServiceVersions } = loadData()
  console.error(note)
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const [plural, group] = ['clusterserviceversions', 'operators.coreos.com']
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await define(client, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural,
        singular: 'clusterserviceversion',
        kind: 'ClusterServiceVersion',
        listKind: 'ClusterServiceVersionList',
      },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  })
  await client.close()
  await server.fill(copies(clusterServiceVersions, count))
}

function* copies(of: readonly object[], count: number): Iterable<object> {
  for (let index = 0; index < count; index++) {
    const { metadata, ...rest } = of[index % of.length] as { readonly metadata: { readonly name: string } }
    const namespace = NAMESPACES[index % NAMESPACES.length]
    yield {
      ...rest,
      apiVersion: 'operators.coreos.com/v1alpha1',
      metadata: { ...metadata, name: `${metadata.name}-${index}`, namespace },
    }
  }
}
