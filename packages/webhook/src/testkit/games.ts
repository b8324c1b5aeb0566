import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'

/** What the tests' webhooks review. */
export interface Game extends KubernetesObject {
  spec?: { players?: number; tags?: string[]; title?: string } | undefined
  status?: { phase?: string } | undefined
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
