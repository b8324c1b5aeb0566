import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type MutatingPolicy, policy, type ValidatingPolicy } from '@wherry/crd'

export const games: Resource<KubernetesObject & { spec: { players: number } }, 'namespaced'> = defineResource<
  KubernetesObject & { spec: { players: number } }
>({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})

export const playerLimit: ValidatingPolicy = policy(games, {
  name: 'player-limit',
  validations: [{ expression: 'object.spec.players < 9', message: 'at most 8 players' }],
})

export const owner: MutatingPolicy = policy(configMaps, {
  name: 'owner',
  mutations: [{ apply: 'Object{metadata: Object.metadata{labels: {"owner": "me"}}}' }],
})

/** The same again, as a module may export it by two names. */
export { owner as again }
