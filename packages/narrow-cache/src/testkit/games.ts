import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** A custom resource, which a server has once it has its {@link definition}. */
export const games: Resource<KubernetesObject, 'namespaced'> = defineResource<KubernetesObject>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as never }

export const definition: CustomResourceDefinition & {
  readonly metadata: { readonly name: string; readonly namespace?: undefined }
} = {
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { plural: 'games', kind: 'Game' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}
