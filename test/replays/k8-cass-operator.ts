import type { KubernetesObject } from '@wherry/client'
import { configMaps, events, pods, services } from '@wherry/client/resources/core'
import { endpointSlices } from '@wherry/client/resources/discovery'
import type { Operator } from '@wherry/controller'
import { ownKind } from './objects/own-kind.ts'
import { inertPod } from './objects/pods.ts'
import { secret } from './objects/secrets.ts'
import { namespacesOf, text } from './objects/text.ts'
import type { MemoryReplay } from './replay.ts'

const datacenters = ownKind<{ readonly size: number }>('cassandra.example.com', 'CassandraDatacenter')
const namespaces = namespacesOf('tenant', 286)
const ours = { namespaces: ['default', 'tenant-0', 'tenant-1'] }

/** Holds the objects in the namespaces of the datacenters. */
function watchTwo(operator: Operator): void {
  operator
    .controller('datacenter')
    .for(datacenters.view.within(ours))
    .owns(pods.within(ours))
    .owns(services.within(ours))
    .caches(configMaps.within(ours))
    .caches(endpointSlices.within(ours))
    .caches(events.within(ours))
    .reconcile(async ({ key, read, log }) => {
      log.info({ ...key, events: (await read.list(events.within(ours))).length }, 'looked at')
    })
}

const shape = { labels: 8, annotations: 4, containers: 2, annotationLength: 100, environment: 800 }

/** Of each kind, how many the cluster of the thread has. */
const cluster = { pods: 6554, configMaps: 2845, services: 2561, slices: 2533, events: 27_000, secrets: 3000 }
const total = Object.values(cluster).reduce((sum, count) => sum + count)

/** What one of the 286 namespaces has: as many of each kind as any other, give or take one. */
function* inNamespace(index: number): Generator<KubernetesObject> {
  const namespace = namespaces[index] ?? ''
  const share = (count: number): number[] => {
    const from = Math.floor((index * count) / namespaces.length)
    return Array.from({ length: Math.floor(((index + 1) * count) / namespaces.length) - from }, (_, i) => from + i)
  }
  const named = (kind: string, i: number, rest: object, apiVersion = 'v1'): KubernetesObject =>
    ({ apiVersion, kind, metadata: { name: `${kind.toLowerCase()}-${i}`, namespace }, ...rest }) as KubernetesObject
  for (const i of share(cluster.pods)) yield inertPod(namespace, i, shape)
  for (const i of share(cluster.configMaps)) yield named('ConfigMap', i, { data: { settings: text(2000, i) } })
  for (const i of share(cluster.services))
    yield named('Service', i, { spec: { clusterIP: 'None', selector: { app: `${i}` } } })
  for (const i of share(cluster.slices)) {
    const endpoints = [{ addresses: [`10.1.${i % 250}.1`] }, { addresses: [`10.1.${i % 250}.2`] }]
    yield named('EndpointSlice', i, { addressType: 'IPv4', endpoints, ports: [] }, 'discovery.k8s.io/v1')
  }
  for (const i of share(cluster.events))
    yield named('Event', i, {
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name: `inert-${i}` },
      reason: 'BackOff',
      message: text(120, i),
      type: 'Warning',
    })
  for (const i of share(cluster.secrets)) yield secret(namespace, `secret-${i}`, 1500, i)
}

export const cassOperator: MemoryReplay = {
  id: 'K8',
  title: 'cass-operator: two namespaces of 286',
  thread: 'https://github.com/k8ssandra/cass-operator/issues/947',
  story: [
    'With a list of namespaces the operator took some 120 Mi.',
    'For all namespaces both of its deployments were killed at 512 Mi, within seconds of each start.',
    'An index of Events alone brought all 27,000 of the cluster into memory.',
    'Pods, ConfigMaps, Services and slices of all tenants came with the first cached read of each kind.',
    'The mended operator selects what is its own: 87 to 91 Mi.',
  ],
  inputs:
    '286 namespaces, 6,554 pods, 2,845 ConfigMaps, 2,561 Services, 2,533 EndpointSlices, 27,000 Events, thousands of Secrets',
  assumed:
    'evenly spread; pods of 3 KB, ConfigMaps of 2 KB, 3,000 Secrets of 2 KB; a datacenter in two of the namespaces',
  theirs: { before: 'killed at 512 Mi', after: '87 to 91 Mi' },
  sizes: [total],
  definitions: [datacenters.definition],
  own: [datacenters.make('first', { size: 3 })],
  *objects(count) {
    let left = count
    for (let i = 0; left > 0 && i < namespaces.length; i++) {
      for (const object of inNamespace(i)) {
        if (left-- <= 0) return
        yield object
      }
    }
  },
  ways: [
    {
      name: 'two namespaces',
      holds: 'pods, Services, ConfigMaps, EndpointSlices and Events of the two namespaces',
      declare: watchTwo,
      bar: { aboveIdleBytes: 8e6 },
      keeps: { objects: 287, receivedBytes: 300_000 },
    },
  ],
  peers: {
    clientNode: ['pods', 'configmaps', 'services', 'events'],
    go: [
      { name: 'before', kinds: ['pods', 'configmaps', 'services', 'events'], keeps: 'whole' },
      {
        name: 'after',
        kinds: ['pods', 'configmaps', 'services', 'events'],
        keeps: 'whole',
        namespaces: ['default', 'tenant-0', 'tenant-1'],
      },
    ],
  },
}
