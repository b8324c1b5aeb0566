import { OptionRangeError, type View } from '@wherry/client'
import { viewCheck } from '@wherry/client/internal'

/** Checks that a view has all objects of a custom resource, as whole objects. @throws OptionTypeError, OptionRangeError */
export function checkConverted(option: string, value: unknown): void {
  viewCheck(option, value)
  const { resource, namespaces, shard, labels, fields, projection } = value as View
  const { group, plural } = resource
  if (!group.includes('.'))
    throw new OptionRangeError(
      option,
      'a resource of a CustomResourceDefinition',
      group === '' ? plural : `${plural}.${group}`,
    )
  if (projection.kind !== 'default')
    throw new OptionRangeError(option, 'a resource, since whole objects are converted', `a ${projection.kind} view`)
  if (namespaces !== undefined || shard !== undefined || labels.text !== '' || fields.text !== '')
    throw new OptionRangeError(option, 'a resource, since all of its objects are converted', 'a view of some')
}
