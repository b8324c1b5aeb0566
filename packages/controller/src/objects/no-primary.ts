import { defineResource, type Scope, type View } from '@wherry/client'

/** The view of a controller without primary objects. Nothing watches it. */
export const noPrimary: View = defineResource({
  group: 'wherry.invalid',
  version: 'v1',
  kind: 'Singleton',
  plural: 'singletons',
  namespaced: false,
}) as unknown as View

/** The primary object of a singleton's run. */
export const noObject: object = Object.freeze({})

/** The view of a definition's primary objects; {@link noPrimary} for a singleton. */
export function primaryView<C, S extends Scope>(of: View<C, S> | 'singleton'): View<C, S> {
  return of === 'singleton' ? (noPrimary as unknown as View<C, S>) : of
}
