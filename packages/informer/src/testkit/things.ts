import { defineResource, type Resource } from '@wherry/client'
import { type ReadTarget, targetsOf } from '@wherry/client/internal'
import type { SimulatedCluster } from './served.ts'

/** A custom resource. */
export const things: Resource<object, 'namespaced'> = defineResource<object>({
  group: 'x.io',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
})

export const thingsTarget: ReadTarget = targetsOf(things)[0] as ReadTarget

export const definitions: Resource<object, 'cluster'> = defineResource<object>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})

/** The definition of {@link things}. */
export const definition: {
  readonly metadata: object
  readonly spec: { readonly versions: readonly object[] }
} & Readonly<Record<string, unknown>> = {
  metadata: { name: 'things.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  } as { readonly versions: readonly object[] },
}

/** Creates it, and waits until it is established. */
export async function createDefinition({ simulation, writer }: SimulatedCluster): Promise<void> {
  await simulation.run(() => writer.create(definitions, definition))
  await simulation.advance(100)
}
