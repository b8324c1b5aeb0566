export type { ClientOptions, ClientSettings, ClientTarget } from './client.ts'
export { Client } from './client.ts'
export type { Clock, Timer } from './clock.ts'
export type { ConnectionOptions } from './connection/pool.ts'
export type { ProxySettings } from './connection/proxy-settings.ts'
export { proxyFor, proxySettings } from './connection/proxy-settings.ts'
export type { AccessOptions, ClusterAccess, UrlOptions } from './credentials/access.ts'
export type { Credentials, TlsMaterial } from './credentials/credentials.ts'
export type { CredentialsErrorCode } from './credentials/error.ts'
export { CredentialsError } from './credentials/error.ts'
export type { Impersonation } from './credentials/impersonate.ts'
export type { InClusterOptions } from './credentials/in-cluster.ts'
export { inCluster } from './credentials/in-cluster.ts'
export type { KubeConfigCluster, KubeConfigLike, KubeConfigUser } from './credentials/kubeconfig.ts'
export { fromKubeConfig } from './credentials/kubeconfig.ts'
export type { KubeconfigFileOptions } from './credentials/kubeconfig-file.ts'
export { fromKubeconfigFile } from './credentials/kubeconfig-file.ts'
export type { DiscoverOptions, ResourceQuery } from './discovery/discovery.ts'
export type { DiscoveredResource } from './discovery/document.ts'
export type {
  Environment,
  ErrorContext,
  LogFields,
  LogLevel,
  MetricLabels,
  Metrics,
  WarningContext,
} from './environment.ts'
export type { ApiErrorParts, StatusCause, StatusDetails } from './errors/api-error.ts'
export { ApiError, ResourceNotFoundError } from './errors/api-error.ts'
export type { ConnectionErrorCode } from './errors/connection-error.ts'
export { ConnectionError } from './errors/connection-error.ts'
export {
  isAlreadyExists,
  isApiError,
  isApplyConflict,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isResourceNotFound,
  isServerError,
  isTimeout,
  isTooLarge,
  isTooManyRequests,
  isUnauthorized,
} from './errors/guards.ts'
export { InexactNumberError } from './errors/inexact-number.ts'
export { InvalidNameError } from './errors/invalid-name.ts'
export type { OptionProblem } from './errors/option.ts'
export { OptionRangeError, OptionTypeError } from './errors/option.ts'
export type { RequestInfo } from './errors/request-info.ts'
export { TimeoutError } from './errors/timeout.ts'
export type { GuardedClient } from './guard.ts'
export type { MinVersion } from './min-version.ts'
export type {
  CloseReason,
  Connection,
  Exchange,
  RawSocket,
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
export type { RawAnswers, RawRequest } from './verbs/raw.ts'
export type { Scale, ScaleVerbs } from './verbs/scale.ts'
export type { StatusVerbs } from './verbs/status.ts'
export type { Subresources, SubresourceVerbs } from './verbs/subresource.ts'
export type { WatchHandlers, WatchOptions } from './verbs/watch.ts'
export type { JsonPatchOperation, Patch } from './verbs/write.ts'
export type { WriteListener } from './verbs/write-listeners.ts'
export type { FieldRequirement, FieldSelectorInput } from './views/field-selector.ts'
export { FieldSelector } from './views/field-selector.ts'
export type { CheckedKey } from './views/key.ts'
export type {
  LabelOperator,
  LabelRequirement,
  LabelSelectorInput,
  LabelSelectorObject,
} from './views/label-selector.ts'
export { LabelSelector } from './views/label-selector.ts'
export type {
  DeepPartial,
  Exact,
  FromServer,
  FullObject,
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
  StoredMeta,
} from './views/object.ts'
export type { Projection, ProjectionKind, SelfNamed, SelfNamedProjection } from './views/projection.ts'
export type {
  HasMetadata,
  Resource,
  ResourceDefinition,
  ResourceType,
  View,
  Within,
  WithinSelectors,
} from './views/resource.ts'
export { defineResource } from './views/resource.ts'
export type { Shard, ShardInput } from './views/shard.ts'
export type { WatchEnd } from './watch/end.ts'
export type { WatchEvent } from './watch/events.ts'
export type { ChangeType } from './watch/line.ts'
export type { Watch, WatchContext } from './watch/watch.ts'
