/** Prints, as the table of README.md, the shapes of the real manifests (when they are at hand) and of ours. */
import type { KubeObject } from './src/index.ts'
import {
  clusterServiceVersions,
  configMaps,
  jsonBytes,
  largeCrd,
  loadData,
  managedFieldsOf,
  pods,
  secrets,
  shapeOf,
} from './src/index.ts'

const COLUMNS = [
  'object',
  'bytes',
  'depth',
  'keys',
  'distinct keys',
  'most keys',
  'longest string',
  'strings',
  'managedFields',
]

function row(label: string, object: unknown): string {
  const shape = shapeOf(object)
  const share = (part: number): string => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`
  return `| ${[
    label,
    ...[shape.bytes, shape.depth, shape.keys, shape.distinctKeys, shape.mostKeys, shape.longestString].map(n =>
      n.toLocaleString('en'),
    ),
    share(shape.stringShare),
    share(shape.managedFieldsShare),
  ].join(' | ')} |`
}

function means(label: string, objects: Iterable<KubeObject>): string {
  let [count, bytes, managed, keys, depth] = [0, 0, 0, 0, 0]
  for (const object of objects) {
    const shape = shapeOf(object)
    count++
    bytes += shape.bytes
    managed += shape.bytes * shape.managedFieldsShare
    keys += shape.keys
    depth = Math.max(depth, shape.depth)
  }
  return `${label}: ${count} objects, mean ${(bytes / count).toFixed(0)} bytes, ${(keys / count).toFixed(0)} keys, depth ${depth}, managedFields ${((managed / bytes) * 100).toFixed(1)} %`
}

function withManagedFields(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields: [managedFieldsOf(object, 'catalog')] } }
}

const data = loadData()
console.log(data.note)
console.log(`\n| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(COLUMNS.length)}`)
if (data.source === 'WHERRY_DATA') {
  for (const crd of data.crds) console.log(row(`real: CRD ${crd.metadata.name}`, crd))
  for (const csv of [...data.clusterServiceVersions].sort((a, b) => jsonBytes(a) - jsonBytes(b))) {
    console.log(row(`real: ${csv.metadata.name}, as a server would keep it`, withManagedFields(csv)))
  }
}
console.log(row('stand-in: CRD clusterserviceversions', largeCrd('clusterserviceversions')))
console.log(row('stand-in: CRD flowcollectors', largeCrd('flowcollectors')))
for (const csv of [...clusterServiceVersions({ count: 10 })].sort((a, b) => jsonBytes(a) - jsonBytes(b))) {
  console.log(row(`stand-in: ${csv.metadata.name}`, csv))
}
console.log(`\n${means('configMaps', configMaps({ count: 10_000 }))}`)
console.log(means('secrets', secrets({ count: 10_000 })))
console.log(means('pods', pods({ count: 10_000 })))
