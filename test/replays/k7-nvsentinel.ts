import type { KubernetesObject } from '@wherry/client'
import { nodes } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { ownKind } from './objects/own-kind.ts'
import { entries, text } from './objects/text.ts'
import type { MemoryReplay } from './replay.ts'

const remediations = ownKind<{ readonly node: string }>('health.example.com', 'Remediation')

/** A remediation looks at its node five times, by name. */
function remediate(operator: Operator): void {
  operator
    .controller('remediation')
    .for(remediations.view)
    .reconcile(async ({ object: { spec }, read, log }) => {
      for (const step of ['look', 'cordon', 'drain', 'repair', 'verify']) {
        const node = await read.get(nodes, { name: spec.node })
        log.info({ step, images: node?.status?.images?.length ?? 0 }, 'looked at the node')
      }
    })
}

function node(index: number): KubernetesObject {
  const images = Array.from({ length: 30 }, (_, i) => ({
    names: [`registry.example.com/images/image-${i}@sha256:${text(64, index * 30 + i)}`],
    sizeBytes: 1_000_000 + i,
  }))
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${index}`, labels: entries('example.com/label', 40, 12, index) },
    spec: { providerID: `example://${index}` },
    status: { images, capacity: { cpu: '64', memory: '512Gi', pods: '110' } },
  } as KubernetesObject
}

export const nvsentinel: MemoryReplay = {
  id: 'K7',
  title: 'NVSentinel: one node of 53,513',
  thread: 'https://github.com/NVIDIA/NVSentinel/pull/1758',
  story: [
    'The component reads nodes by name, five times in a remediation, and watches nothing.',
    'Its client reads out of a cache, and the first read begins to cache all nodes.',
    'The first remediation waited 43 s for that, and memory went from 15 MB to 8.5 GB.',
    'Each restart paid for it again.',
    'The mended component reads nodes from the server: 17.6 MB, and 0.091 s.',
  ],
  inputs: '53,513 nodes; 5 reads by name in a remediation; one remediation',
  assumed: 'nodes of some 6 KB with 40 labels and 30 images: theirs took 83 KB each in memory',
  theirs: { before: '8.50 GB, first run 43 s', after: '17.6 MB, 0.091 s' },
  sizes: [53_513],
  definitions: [remediations.definition],
  own: [remediations.make('first', { node: 'node-7' })],
  *objects(count) {
    for (let i = 0; i < count; i++) yield node(i)
  },
  ways: [
    {
      name: 'one by name',
      holds: 'the node that is repaired',
      declare: remediate,
      bar: { aboveIdleBytes: 5e6, firstTimesGet: 3 },
      oneGet: client => client.get(nodes, { name: 'node-7' }),
      keeps: { objects: 2, receivedBytes: 7500 },
    },
  ],
  peers: {
    clientNode: ['nodes'],
    go: [
      { name: 'before', kinds: ['nodes'], keeps: 'whole' },
      { name: 'after', kinds: [], keeps: 'whole', reads: ['/node-7'] },
    ],
  },
}
