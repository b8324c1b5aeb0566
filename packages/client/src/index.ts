export type { BackoffOptions } from './backoff.ts'
export { Backoff, sleep } from './backoff.ts'
export type { Clock, Timer } from './clock.ts'
export { systemClock } from './clock.ts'
export type { ConnectionErrorCode } from './connection/error.ts'
export { ConnectionError, isConnectionError } from './connection/error.ts'
export type {
  Environment,
  ErrorContext,
  ErrorMessage,
  LogFields,
  LogLevel,
  MetricLabels,
  Metrics,
  WarningContext,
  WarningMessage,
} from './environment.ts'
export { systemEnvironment } from './environment.ts'
export type { StatusCause, StatusDetails } from './errors/api-error.ts'
export { ApiError, ResourceNotFoundError } from './errors/api-error.ts'
export {
  isAlreadyExists,
  isApiError,
  isApplyConflict,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isRequestTooLarge,
  isResourceNotFound,
  isServerError,
  isServiceUnavailable,
  isTimeout,
  isTooLarge,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
} from './errors/guards.ts'
export { InvalidNameError } from './errors/invalid-name.ts'
export type { OptionProblem } from './errors/option.ts'
export { isInvalidOption, OptionRangeError, OptionTypeError } from './errors/option.ts'
export { TimeoutError } from './errors/timeout.ts'
export { checkSegment, encodeSegment } from './names/segment.ts'
export type {
  CloseReason,
  Connection,
  Exchange,
  RequestHead,
  ResponseHandlers,
  ResponseHeaders,
  Transport,
} from './transport.ts'
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
