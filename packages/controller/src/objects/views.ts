import { FieldSelector, LabelSelector, type View } from '@wherry/client'

/** All objects of a view's resource and namespaces. */
export function everything(view: View): View {
  return { ...view, shard: undefined, labels: LabelSelector.everything, fields: FieldSelector.everything }
}
