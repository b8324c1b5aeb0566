import { type CustomResource, defineCustomResource } from '@wherry/crd'

/** A module with a schema that the API server would refuse. */
export const game: CustomResource = defineCustomResource({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
  spec: { type: 'object', properties: { code: { type: 'string', pattern: '^(?!0)' } } },
})
