import { defineResource, type ObjectKey, type ObjectMeta, type Resource } from '@wherry/client'
import { type Deployment, deployments } from '@wherry/client/resources/apps'
import { configMaps, type Service, services } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import type { Conditions, int } from '@wherry/crd'

/**
 * A Memcached of some Pods behind a Service.
 *
 * @group cache.example.com
 * @version v1
 */
export interface Memcached {
  metadata?: ObjectMeta
  spec: {
    /**
     * How many Pods; without it, whoever scales the Deployment says so.
     *
     * @minimum 0
     */
    size?: int
    image?: string
  }
  status?: { address?: string; readyReplicas?: int; conditions?: Conditions }
}

/** Keeps addresses outside the cluster, as a DNS server does. */
export interface Registry {
  register(name: string, address: string): Promise<void>
  unregister(name: string): Promise<void>
}

const group = 'cache.example.com'
const finalizer = `${group}/registry`
/** One ConfigMap of a namespace has a line for each Memcached in it. */
export const servers = 'memcached-servers'

export const memcacheds: Resource<Memcached, 'namespaced'> = defineResource<Memcached>({
  group,
  version: 'v1',
  kind: 'Memcached',
  plural: 'memcacheds',
  namespaced: true,
})

const ours = { labels: { 'app.kubernetes.io/managed-by': 'memcached-operator' } }

type Key = ObjectKey<'namespaced'>

const outside = (key: Key): string => `${key.namespace}/${key.name}`
/** A field manager for each Memcached: an apply gives up the lines that its manager no longer names. */
const sharing = ({ name }: Key) => ({ owner: false, fieldManager: `memcached-operator/${name}` })

export function addMemcacheds(operator: Operator, namespace: string, registry: Registry): void {
  const here = { namespaces: [namespace] }
  const ownDeployments = deployments.within({ ...ours, ...here })
  const ownServices = services.within({ ...ours, ...here })
  const shared = configMaps.within(here)
  operator
    .controller('memcached')
    .for(memcacheds.within(here))
    .owns(ownDeployments)
    .owns(ownServices)
    .finalizer(finalizer, async ({ key, apply }) => {
      await registry.unregister(outside(key))
      await apply(shared, { metadata: { name: servers } }, sharing(key))
    })
    .reconcile(async ({ object: memcached, key, read, apply, status }) => {
      const { name } = key
      const address = `${name}.${key.namespace}.svc:11211`
      await registry.register(outside(key), address)
      await apply(ownDeployments, deploymentOf(name, memcached.spec))
      await apply(ownServices, serviceOf(name))
      await apply(shared, { metadata: { name: servers }, data: { [name]: address } }, sharing(key))

      const select = ({ status }: Deployment) => status?.readyReplicas ?? 0
      const readyReplicas = (await read.get(ownDeployments, { name }, { select })) ?? 0
      const [available, reason] = readyReplicas > 0 ? (['True', 'Running'] as const) : (['False', 'NoPods'] as const)
      const observedGeneration = memcached.metadata?.generation
      await status({
        address,
        readyReplicas,
        conditions: [{ type: 'Available', status: available, reason, observedGeneration }],
      })
    })
}

function deploymentOf(name: string, { size, image = 'memcached:1.6' }: Memcached['spec']): Deployment {
  const labels = { app: 'memcached', memcached: name }
  return {
    metadata: { name },
    spec: {
      ...(size !== undefined && { replicas: size }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'memcached',
              image,
              ports: [{ name: 'memcached', containerPort: 11211 }],
              resources: { limits: { cpu: '500m', memory: '64Mi' } },
            },
          ],
        },
      },
    },
  }
}

function serviceOf(name: string): Service {
  return {
    metadata: { name },
    spec: { selector: { app: 'memcached', memcached: name }, ports: [{ name: 'memcached', port: 11211 }] },
  }
}
