import { defineResource, type PartialObjectMetadata, type Resource, type View } from '@wherry/client'

/** The metadata of what a view selects, whatever the view makes of it. */
export function metadataOf({ resource, namespaces, labels, fields }: View): View<PartialObjectMetadata> {
  const definition = { ...resource } as typeof resource & { readonly namespaced: true }
  const whole: Resource<object> = defineResource<object>(definition)
  const scope = { ...(namespaces !== undefined && { namespaces }), labels, fields } as {
    readonly labels: typeof labels
  }
  return whole.within(scope).metadata()
}
