import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** An object of a kind of the operator's own. */
export interface Own<S> {
  readonly metadata: ObjectMeta & { readonly name: string }
  readonly spec: S
}

/** A kind of the operator's own. */
export interface OwnKind<S> {
  readonly view: Resource<Own<S>, 'namespaced'>
  readonly definition: CustomResourceDefinition
  make(name: string, spec: S): Own<S> & { readonly apiVersion: string; readonly kind: string }
}

/** The kind as a resource, and its definition without a schema for the spec: what the schema refuses is not looked at here. */
export function ownKind<S>(group: string, kind: string): OwnKind<S> {
  const plural = `${kind.toLowerCase()}s`
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const version = { name: 'v1', served: true, storage: true }
  return {
    view: defineResource<Own<S>>({ group, version: 'v1', kind, plural, namespaced: true }),
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
      },
    },
    make: (name, spec) => ({ apiVersion: `${group}/v1`, kind, metadata: { name, namespace: 'default' }, spec }),
  }
}
