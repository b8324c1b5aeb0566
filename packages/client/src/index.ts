export type { BackoffOptions } from './backoff.ts'
export { Backoff, sleep } from './backoff.ts'
export { BodyTooLongError, InvalidBodyError, ItemTooLongError, LineTooLongError } from './bytes/bounds.ts'
export { decodeJson, encodeJson } from './bytes/json.ts'
export type { ListHead, ListMeta, TypeMeta } from './bytes/list-head.ts'
export type { ReadContext, Reading } from './bytes/read.ts'
export type { ClientOptions, ClientSettings, ClientTarget } from './client.ts'
export { Client } from './client.ts'
export type { Clock, Timer } from './clock.ts'
export { systemClock } from './clock.ts'
export type { NodeTransportOptions } from './connection/node-transport.ts'
export { NodeTransport } from './connection/node-transport.ts'
export type { ConnectionOptions } from './connection/pool.ts'
export type { AccessOptions, ClusterAccess, UrlOptions } from './credentials/access.ts'
export { fromUrl } from './credentials/access.ts'
export type { Credentials, TlsMaterial } from './credentials/credentials.ts'
export type { CredentialsErrorCode } from './credentials/error.ts'
export { CredentialsError } from './credentials/error.ts'
export type { Impersonation } from './credentials/impersonate.ts'
export type { InClusterOptions } from './credentials/in-cluster.ts'
export { inCluster, isInCluster } from './credentials/in-cluster.ts'
export type {
  KubeConfigCluster,
  KubeConfigLike,
  KubeConfigUser,
} from './credentials/kubeconfig.ts'
export { fromKubeConfig } from './credentials/kubeconfig.ts'
export type { KubeconfigFileOptions } from './credentials/kubeconfig-file.ts'
export { findAccess, fromKubeconfigFile } from './credentials/kubeconfig-file.ts'
export type { DiscoverOptions, ResourceQuery } from './discovery/discovery.ts'
export type { DiscoveredResource } from './discovery/document.ts'
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
export { guarded, systemEnvironment } from './environment.ts'
export type { StatusCause, StatusDetails } from './errors/api-error.ts'
export { ApiError, ResourceNotFoundError } from './errors/api-error.ts'
export type { ConnectionErrorCode } from './errors/connection-error.ts'
export { ConnectionError, isConnectionError } from './errors/connection-error.ts'
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
  isObjectNotFound,
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
export { checkExact, InexactNumberError } from './errors/inexact-number.ts'
export { InvalidNameError } from './errors/invalid-name.ts'
export type { OptionProblem } from './errors/option.ts'
export { isInvalidOption, OptionRangeError, OptionTypeError } from './errors/option.ts'
export { TimeoutError } from './errors/timeout.ts'
export type { FencedClient } from './fence.ts'
export type { ItemsOptions } from './list/items.ts'
export { type ItemHandlers, readItems, startItems } from './list/items.ts'
export { InvalidObjectError } from './list/object.ts'
export { PageTokens } from './list/page-tokens.ts'
export type { ListState } from './list/query.ts'
export { listQuery, nextPageQuery } from './list/query.ts'
export type { ReadTarget, Selection } from './list/target.ts'
export { targetsOf } from './list/target.ts'
export type { ResourceVersionOrder } from './resource-version.ts'
export { compareResourceVersions, isAtLeast } from './resource-version.ts'
export type {
  CloseReason,
  Connection,
  Exchange,
  RequestHead,
  ResponseHandlers,
  ResponseHeaders,
  Transport,
} from './transport.ts'
export type { Deleted } from './verbs/delete.ts'
export type { DeleteCollectionOptions } from './verbs/delete-collection.ts'
export type { List, ListOptions, ListPage, ListPageOptions, PagesOptions } from './verbs/list.ts'
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  EvictOptions,
  GetOptions,
  PatchOptions,
  WriteOptions,
} from './verbs/options.ts'
export type { Scale, ScaleVerbs } from './verbs/scale.ts'
export type { StatusVerbs } from './verbs/status.ts'
export type { WatchHandlers, WatchOptions } from './verbs/watch.ts'
export type { JsonPatchOperation, Patch } from './verbs/write.ts'
export type { WriteListener } from './verbs/write-listeners.ts'
export { version } from './version.ts'
export type { FieldRequirement, FieldSelectorInput } from './views/field-selector.ts'
export { FieldSelector } from './views/field-selector.ts'
export { parsedKey } from './views/key.ts'
export type {
  LabelOperator,
  LabelRequirement,
  LabelSelectorInput,
  LabelSelectorObject,
} from './views/label-selector.ts'
export { LabelSelector } from './views/label-selector.ts'
export type {
  Exact,
  KeyOf,
  KubernetesObject,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  PartialBrand,
  PartialObjectMetadata,
  Projected,
  Scope,
  Some,
  Stored,
  StoredMeta,
  Whole,
} from './views/object.ts'
export { asKey } from './views/object.ts'
export { apiVersionOf, collectionPath, keyText, objectPath, resourceName } from './views/path.ts'
export type { Projection, ProjectionKind, SelfNamed, SelfNamedProjection } from './views/projection.ts'
export { nameOfProjection, selfNamed } from './views/projection.ts'
export { acceptOf, isExact, projector, readAs, unprojected } from './views/read.ts'
export type { Resource, ResourceDefinition, ResourceType, View, Within, WithinSelectors } from './views/resource.ts'
export { defineResource, type HasMetadata } from './views/resource.ts'
export { checkSegment, encodeSegment } from './views/segment.ts'
export { isSensitive, tellable } from './views/sensitive.ts'
export { wentWith } from './views/went-with.ts'
export type { WatchEnd } from './watch/end.ts'
export type { WatchEvent } from './watch/events.ts'
export type { ChangeType } from './watch/line.ts'
export type { WatchStart } from './watch/query.ts'
export type { Watch, WatchContext } from './watch/watch.ts'
export { openWatch } from './watch/watch.ts'
