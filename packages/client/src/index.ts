export { InvalidNameError } from './errors/invalid-name.ts'
export type { OptionProblem } from './errors/option.ts'
export { isInvalidOption, OptionRangeError, OptionTypeError } from './errors/option.ts'
export { checkSegment, encodeSegment } from './names/segment.ts'
export type { FieldRequirement, FieldSelectorInput } from './views/field-selector.ts'
export { FieldSelector } from './views/field-selector.ts'
export type {
  LabelOperator,
  LabelRequirement,
  LabelSelectorInput,
  LabelSelectorObject,
} from './views/label-selector.ts'
export { LabelSelector } from './views/label-selector.ts'
export type {
  Exact,
  KubernetesObject,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  PartialBrand,
  PartialObjectMetadata,
  Projected,
  Scope,
  Whole,
} from './views/object.ts'
export type { Projection, ProjectionKind } from './views/projection.ts'
export type { Resource, ResourceDefinition, ResourceType, View, Within, WithinSelectors } from './views/resource.ts'
export { defineResource } from './views/resource.ts'
