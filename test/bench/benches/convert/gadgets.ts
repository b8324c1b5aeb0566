import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'

/** A custom resource as large as a ConfigMap, as it is stored. */
export interface Gadget extends KubernetesObject {
  readonly spec?: { readonly data?: Readonly<Record<string, string>> }
}

/** The older version, with a list as its data. */
export interface GadgetBeta extends KubernetesObject {
  readonly spec?: { readonly entries?: readonly { readonly key: string; readonly value: string }[] }
}

const names = { group: 'bench.example.com', kind: 'Gadget', plural: 'gadgets', namespaced: true } as const

export const gadgets: Resource<Gadget, 'namespaced'> = defineResource<Gadget>({ ...names, version: 'v1' })
export const gadgetsBeta: Resource<GadgetBeta, 'namespaced'> = defineResource<GadgetBeta>({
  ...names,
  version: 'v1beta1',
})
