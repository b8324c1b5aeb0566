import { configMaps } from '@wherry/data/config-maps'

/** So many sources are copied, whatever the number of copies. */
export const SOURCES = 50

/** What the server has at first: the sources, of 2 KB, and the namespaces that want copies of them. */
export function* fillSource(namespaces: number): Iterable<object> {
  yield namespace('sources', {})
  for (let i = 0; i < namespaces; i++) yield namespace(`tenant-${i}`, { tenant: 'true' })
  for (const { metadata, ...rest } of configMaps({ count: SOURCES, bytes: 1930, managedFieldsShare: 0, seed: 1 })) {
    const { annotations: _, ...kept } = metadata
    yield { ...rest, metadata: { ...kept, namespace: 'sources' } }
  }
}

function namespace(name: string, labels: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
  }
}
