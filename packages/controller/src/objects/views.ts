import { FieldSelector, LabelSelector, type PartialObjectMetadata, type View } from '@wherry/client'

/** The metadata of what a view selects, whatever the view makes of it. */
export function metadataOf(view: View): View<PartialObjectMetadata> {
  return { ...view, projection: { kind: 'metadata', name: 'metadata' } } as View<PartialObjectMetadata>
}

/** All objects of a view's resource and namespaces. */
export function everything(view: View): View {
  return { ...view, labels: LabelSelector.everything, fields: FieldSelector.everything }
}
