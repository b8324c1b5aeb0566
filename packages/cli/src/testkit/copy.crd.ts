import { type CustomResource, defineCustomResource } from '@wherry/crd'

/** Another definition of the same resource. */
export const game: CustomResource = defineCustomResource({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
  spec: { type: 'object', properties: {} },
})
