import { defineResource, type Scope, type View } from '@wherry/client'

/** What stands in the place of the primary objects' view, if a controller has none. Nothing watches it. */
export const noPrimary: View = defineResource({
  group: 'wherry.invalid',
  version: 'v1',
  kind: 'Singleton',
  plural: 'singletons',
  namespaced: false,
}) as unknown as View

/** What a singleton's run has in the place of a primary object. */
export const noObject: object = Object.freeze({})

/** The view of the primary objects of a definition, or what stands in its place. */
export function primaryView<C, S extends Scope>(of: View<C, S> | 'singleton'): View<C, S> {
  return of === 'singleton' ? (noPrimary as unknown as View<C, S>) : of
}
