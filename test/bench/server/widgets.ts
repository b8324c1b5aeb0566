import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'

/** A custom resource as large as a ConfigMap. */
export interface Widget extends KubernetesObject {
  readonly spec?: { readonly data?: Readonly<Record<string, string>> }
}

export const widgets: Resource<Widget, 'namespaced'> = defineResource<Widget>({
  group: 'bench.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})
