import type { KubernetesObject } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { keyOnly } from '@wherry/transform-cache'
import { ownKind } from './objects/own-kind.ts'
import { namespacesOf, text } from './objects/text.ts'
import type { MemoryReplay } from './replay.ts'

interface Reference {
  readonly namespace: string
  readonly name: string
}
const prometheuses = ownKind<{ readonly secrets: readonly Reference[] }>('monitoring.example.com', 'Prometheus')

/** Reads the Secrets that a Prometheus names: it runs again when one of them changes. */
function readTwo(operator: Operator): void {
  operator
    .controller('prometheus')
    .for(prometheuses.view)
    .reconcile(async ({ object: { spec }, read, log }) => {
      for (const reference of spec.secrets) {
        const found = await read.get(secrets, reference)
        log.info({ ...reference, keys: Object.keys(found?.data ?? {}).length }, 'read')
      }
    })
}

const keys = secrets.project(keyOnly)

/** Runs each Prometheus when any Secret changes, and holds of a Secret what that takes. */
function watchKeys(operator: Operator): void {
  operator
    .controller('prometheus')
    .for(prometheuses.view)
    .watches(keys, 'all')
    .reconcile(({ key, log }) => log.info({ ...key }, 'a Secret may have changed'))
}

/** The same, with the metadata as the server sends it. */
function watchMetadata(operator: Operator): void {
  operator
    .controller('prometheus')
    .for(prometheuses.view)
    .watches(secrets.metadata(), 'all')
    .reconcile(({ key, log }) => log.info({ ...key }, 'a Secret may have changed'))
}

const namespaces = namespacesOf('team', 128)

function annotated(index: number): KubernetesObject {
  const annotations = Object.fromEntries([0, 1, 2, 3].map(i => [`example.com/note-${i}`, text(1024, index * 4 + i)]))
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `secret-${index}`, namespace: namespaces[index % namespaces.length] ?? '', annotations },
    data: { key: text(64, index) },
  } as KubernetesObject
}

export const prometheusOperator: MemoryReplay = {
  id: 'K3',
  title: 'prometheus-operator: Secrets with large metadata',
  thread: 'https://github.com/prometheus-operator/prometheus-operator/pull/5993',
  story: [
    'The operator watches all Secrets, because a Prometheus may name any of them.',
    'It held their metadata, which is no small thing if tools put their state into annotations.',
    'Only name, namespace and resourceVersion are looked at.',
    'The mended operator drops the rest before it is cached: 300 MB became 50 MB.',
    'The peak at the start stayed as it was: the whole list comes first.',
  ],
  inputs: '16,384 Secrets in 128 namespaces, each with 4 annotations of 1,024 characters',
  assumed: 'a value of 64 characters in each Secret; a Prometheus that names two of them',
  theirs: { before: '300 MB', after: '50 MB, the same peak' },
  sizes: [16_384],
  definitions: [prometheuses.definition],
  own: [
    prometheuses.make('main', {
      secrets: [
        { namespace: 'team-0', name: 'secret-0' },
        { namespace: 'team-1', name: 'secret-1' },
      ],
    }),
  ],
  *objects(count) {
    for (let i = 0; i < count; i++) yield annotated(i)
  },
  ways: [
    {
      name: 'two by name',
      holds: 'the two Secrets that the Prometheus names',
      declare: readTwo,
      bar: { aboveIdleBytes: 6e6, peakTimes: 1.3 },
      keeps: { objects: 3, receivedBytes: 11_000 },
    },
    {
      name: 'keys of all',
      holds: 'name, namespace, uid and version of all Secrets',
      declare: watchKeys,
      bar: { aboveIdleBytes: 25e6, peakTimes: 1.3 },
      keeps: { objects: 1639, receivedBytes: 7.6e6 },
    },
    {
      name: 'metadata of all',
      holds: 'the metadata of all Secrets, annotations included',
      declare: watchMetadata,
      keeps: { objects: 1639, receivedBytes: 7.6e6 },
    },
  ],
  peers: {
    clientNode: ['secrets'],
    go: [
      { name: 'before', kinds: ['secrets'], keeps: 'metadata' },
      { name: 'after', kinds: ['secrets'], keeps: 'keys' },
    ],
  },
}
