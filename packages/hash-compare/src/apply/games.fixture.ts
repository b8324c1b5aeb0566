import { type Client, defineResource, isResourceNotFound, type ObjectMeta, type Resource, sleep } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'

/** A resource of one's own, with a status subresource and a default. */
export interface Game {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: { title?: string; players?: number; lives?: number }
  status?: { phase?: string; score?: number }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const properties = (...names: string[]): Record<string, object> =>
  Object.fromEntries(names.map(name => [name, { type: name === 'title' || name === 'phase' ? 'string' : 'integer' }]))

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
                properties: { ...properties('title', 'players'), lives: { type: 'integer', default: 3 } },
              },
              status: { type: 'object', properties: properties('phase', 'score') },
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
