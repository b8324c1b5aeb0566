import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'

export const games: Resource<KubernetesObject, 'namespaced'> = defineResource({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})

/** Where the operator keeps its authorities. */
export const operatorNamespace = 'arcade-system'
