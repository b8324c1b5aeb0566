import { type CustomResource, defineCustomResource } from '@wherry/crd'

/** The resource Game with this schema of its `spec`. */
export function gameOf(spec: object): CustomResource {
  return defineCustomResource({
    group: 'arcade.example.com',
    version: 'v1',
    kind: 'Game',
    plural: 'games',
    namespaced: true,
    spec,
  })
}
