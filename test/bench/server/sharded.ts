import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import type { ServerAddress } from '../harness/bench.ts'
import { fillSource } from './fill-source.ts'
import { ringSizes } from './ring-sizes.ts'

const prefix = 'alpha.sharding.timebertt.dev'

interface Labelled {
  readonly metadata: object
}

/** ConfigMaps that rings have assigned: `ring-N` has the members `m0` to `mN-1`, each with as many objects. */
export function* shardedSource(count: number): Iterable<object> {
  let index = 0
  for (const object of fillSource(count) as Iterable<Labelled>) {
    const labels = Object.fromEntries(ringSizes.map(size => [`shard.${prefix}/ring-${size}`, `m${index % size}`]))
    index += 1
    yield { ...object, metadata: { ...object.metadata, labels } }
  }
}

/** Creates the definition of rings, and the rings. */
export async function createRings({ url, ca, token }: ServerAddress): Promise<void> {
  await using client = new Client({ access: fromUrl(url, { ca, token }) })
  const group = 'sharding.timebertt.dev'
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `controllerrings.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: {
        kind: 'ControllerRing',
        listKind: 'ControllerRingList',
        plural: 'controllerrings',
        singular: 'controllerring',
      },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    },
  }
  const rings = ringSizes.map(size => ({
    apiVersion: `${group}/v1alpha1`,
    kind: 'ControllerRing',
    metadata: { name: `ring-${size}` },
    spec: { resources: [{ resource: 'configmaps' }] },
  }))
  await client.applyAll([definition, ...rings])
}
