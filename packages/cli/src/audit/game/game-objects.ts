import type { Client, FullObject, Resource } from '@wherry/client'
import {
  type ConfigMap,
  configMaps,
  type Event,
  events,
  type Pod,
  pods,
  type Secret,
  secrets,
} from '@wherry/client/resources/core'
import type { GameKind } from './game-options.ts'

/** How the objects of a kind are made and deleted. */
export interface GameObjects {
  create(client: Client, at: number, signal: AbortSignal): Promise<unknown>
  deleteAll(client: Client, signal: AbortSignal): Promise<unknown>
}

/** The objects of the game in a namespace. No node runs its Pods, because their scheduler does not exist. */
export function gameObjects(namespace: string, sizeBytes: number): Readonly<Record<GameKind, GameObjects>> {
  const content = 'x'.repeat(sizeBytes)
  // A Secret has its data in base64: four characters for three bytes.
  const secret = Buffer.from('x'.repeat(Math.floor((sizeBytes * 3) / 4))).toString('base64')
  const of = <T extends object>(
    resource: Resource<T, 'namespaced'>,
    make: (metadata: { name: string; namespace: string }) => FullObject<T>,
  ): GameObjects => ({
    create: (client, at, signal) => client.create(resource, make({ name: `game-${at}`, namespace }), { signal }),
    deleteAll: (client, signal) =>
      client.deleteCollection(resource.within({ namespaces: [namespace] }), { limit: 10, signal }),
  })
  return {
    configmaps: of<ConfigMap>(configMaps, metadata => ({ metadata, data: { content } })),
    secrets: of<Secret>(secrets, metadata => ({ metadata, data: { content: secret } })),
    pods: of<Pod>(pods, metadata => ({
      metadata,
      spec: {
        ...{ schedulerName: 'wherry-audit-none', automountServiceAccountToken: false },
        containers: [{ name: 'none', image: 'none.invalid/none' }],
      },
    })),
    events: of<Event>(events, metadata => ({
      ...{ metadata, reason: 'Audit', message: 'an event of wherry audit', type: 'Normal' },
      involvedObject: { kind: 'Namespace', name: namespace, namespace },
    })),
  }
}
