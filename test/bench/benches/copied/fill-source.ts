import { loadData } from '@wherry/data'

/** So many sources are copied, whatever the number of copies. */
export const SOURCES = 50
/** Those with an icon of hundreds of kilobytes would hide all others. */
const MOST_BYTES = 50_000

/**
 * What the server has at first: the namespaces that want copies, and the sources: the real ClusterServiceVersions of up to 50 KB, or their
 * stand-ins, over and over under other names.
 */
export function* fillSource(namespaces: number): Iterable<object> {
  const { clusterServiceVersions } = loadData()
  const originals = clusterServiceVersions.filter(csv => JSON.stringify(csv).length <= MOST_BYTES)
  yield namespace('operators', {})
  for (let i = 0; i < namespaces; i++) yield namespace(`member-${i}`, { member: 'true' })
  for (let i = 0; i < SOURCES; i++) {
    const { metadata, spec } = originals[i % originals.length] as (typeof originals)[number] & { spec: object }
    const { name, labels = {}, annotations = {} } = metadata
    yield {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { namespace: 'operators', name: `${name}-${i}`, labels, annotations, generation: 1 },
      spec,
    }
  }
}

function namespace(name: string, labels: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}
