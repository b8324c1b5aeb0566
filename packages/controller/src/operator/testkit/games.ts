import { type Client, defineResource, isResourceNotFound, type ObjectMeta, type Resource, sleep } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ConfigMap, configMaps, type Secret } from '@wherry/client/resources/core'

/** A resource of one's own: it names a Secret, and becomes a ConfigMap. */
export interface Game {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: { title?: string; secret: string; lives?: number }
  status?: { phase?: string }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const text = { type: 'string' }

const definition: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { kind: 'Game', listKind: 'GameList', plural: 'games', singular: 'game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { title: text, secret: text, lives: { type: 'integer', default: 3 } },
              },
              status: { type: 'object', properties: { phase: text } },
            },
          },
        },
      },
    ],
  },
}

/** Defines the resource on a server, and resolves when it is served. */
export async function defineGames(client: Client): Promise<void> {
  await client.create(customResourceDefinitions, definition as never)
  for (;;) {
    const missing = await client.list(games).then(
      () => false,
      (error: unknown) => {
        if (!isResourceNotFound(error)) throw error
        return true
      },
    )
    if (!missing) return
    await sleep(client.environment.clock, 50)
  }
}

export const game = (name: string, secret = 'key', title = 'Chess'): Game => ({
  metadata: { name, namespace: 'default' },
  spec: { title, secret },
})

export const secret = (name: string, value: string): Secret => ({
  metadata: { name, namespace: 'default' },
  stringData: { value },
})

/** The ConfigMaps that games become. */
export const ours: Resource<ConfigMap, 'namespaced'> = configMaps.within({
  labels: { 'app.kubernetes.io/managed-by': 'game' },
})

/** What a game becomes. */
export const desiredConfig = (of: Game, key: Secret): ConfigMap => ({
  metadata: { name: `${of.metadata.name}-config` },
  data: { title: of.spec.title ?? '', key: key.data?.value ?? '' },
})
