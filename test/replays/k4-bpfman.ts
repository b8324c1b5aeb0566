import type { KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { ownKind } from './objects/own-kind.ts'
import { text } from './objects/text.ts'
import type { MemoryReplay } from './replay.ts'

const daemons = ownKind<{ readonly configMap: string }>('bpf.example.com', 'Daemon')

/** Reads its ConfigMap by name: it runs again when that ConfigMap changes. */
function configure(operator: Operator): void {
  operator
    .controller('daemon')
    .for(daemons.view)
    .reconcile(async ({ object: { spec }, read, log }) => {
      const found = await read.get(configMaps, { name: spec.configMap })
      log.info({ keys: Object.keys(found?.data ?? {}).length }, 'read')
    })
}

const configMap = (namespace: string, name: string, length: number, seed: number): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { file: text(length, seed) },
  }) as KubernetesObject

export const bpfman: MemoryReplay = {
  id: 'K4',
  title: 'bpfman-operator: large ConfigMaps of others',
  thread: 'https://github.com/bpfman/bpfman-operator/issues/56',
  story: [
    'The operator watches one ConfigMap, its own settings.',
    'A predicate dropped the events of others, but the cache held all ConfigMaps of the cluster whole.',
    'A loop of kubectl made 401 in another namespace, and the operator was killed for memory.',
    'The memory game that `npm run demo` plays is made after it.',
    'The mended operator selects its own ConfigMap in the cache.',
  ],
  inputs: '401 ConfigMaps of some 500 KB in a namespace of their own',
  assumed: 'values of 500,000 characters; the settings have 2,000',
  theirs: { before: 'killed', after: '40 MB' },
  sizes: [401],
  definitions: [daemons.definition],
  own: [daemons.make('bpf', { configMap: 'bpf-config' }), configMap('default', 'bpf-config', 2000, 1)],
  *objects(count) {
    for (let i = 0; i < count; i++) yield configMap('test', `test-cm-${i}`, 500_000, i)
  },
  ways: [
    {
      name: 'one by name',
      holds: 'the ConfigMap with the settings',
      declare: configure,
      bar: { aboveIdleBytes: 10e6 },
      keeps: { objects: 2, receivedBytes: 3200 },
    },
  ],
  peers: {
    clientNode: ['configmaps'],
    go: [
      { name: 'before', kinds: ['configmaps'], keeps: 'whole' },
      { name: 'after', kinds: ['configmaps'], keeps: 'whole', namespaces: ['default'] },
    ],
  },
}
