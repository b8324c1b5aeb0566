/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export type { BackoffOptions } from './backoff.ts'
export { Backoff, sleep } from './backoff.ts'
export { InvalidBodyError, ItemTooLongError, LineTooLongError } from './bytes/bounds.ts'
export type { ListHead, ListMeta, TypeMeta } from './bytes/list-head.ts'
export type { ReadContext, Reading } from './bytes/read.ts'
export type { ClientSettings, ClientTarget } from './client.ts'
export type { Timer } from './clock.ts'
export { systemClock } from './clock.ts'
export type { NodeTransportOptions } from './connection/node-transport.ts'
export { NodeTransport } from './connection/node-transport.ts'
export type { ConnectionOptions } from './connection/pool.ts'
export type { AccessOptions, UrlOptions } from './credentials/access.ts'
export { fromUrl } from './credentials/access.ts'
export type { TlsMaterial } from './credentials/credentials.ts'
export type { CredentialsErrorCode } from './credentials/error.ts'
export type { Impersonation } from './credentials/impersonate.ts'
export type { InClusterOptions } from './credentials/in-cluster.ts'
export type { KubeConfigCluster, KubeConfigLike, KubeConfigUser } from './credentials/kubeconfig.ts'
export type { KubeconfigFileOptions } from './credentials/kubeconfig-file.ts'
export type { DiscoverOptions, ResourceQuery } from './discovery/discovery.ts'
export type { DiscoveredResource } from './discovery/document.ts'
export type {
  ErrorContext,
  ErrorMessage,
  LogFields,
  LogLevel,
  MetricLabels,
  WarningContext,
  WarningMessage,
} from './environment.ts'
export { guarded, systemEnvironment } from './environment.ts'
export type { StatusCause, StatusDetails } from './errors/api-error.ts'
export { asError } from './errors/as-error.ts'
export type { Check } from './errors/check.ts'
export {
  abortSignal,
  anything,
  callback,
  checkOptions,
  fieldManager,
  fieldManagers,
  flag,
  having,
  integer,
  keyCheck,
  milliseconds,
  oneOf,
  text,
  texts,
  viewCheck,
} from './errors/check.ts'
export type { ConnectionErrorCode } from './errors/connection-error.ts'
export { isConnectionError } from './errors/connection-error.ts'
export { isBadRequest, isMethodNotAllowed, isObjectNotFound, isRequestTooLarge } from './errors/guards.ts'
export { peerProblem } from './errors/missing-peer.ts'
export { checkStatus, checkWritten } from './errors/object-check.ts'
export type { OptionProblem } from './errors/option.ts'
export { isInvalidOption } from './errors/option.ts'
export type { FencedClient } from './fence.ts'
export type { ItemHandlers, ItemsOptions } from './list/items.ts'
export { readItems } from './list/items.ts'
export { InvalidObjectError } from './list/object.ts'
export { PageTokens } from './list/page-tokens.ts'
export type { ListState } from './list/query.ts'
export { listQuery, nextPageQuery } from './list/query.ts'
export type { ReadTarget, Selection } from './list/target.ts'
export { targetsOf } from './list/target.ts'
export type { HeldVersion, MinVersion, Written } from './min-version.ts'
export { hasReached, isDeleted, raised } from './min-version.ts'
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
export type { ListPageOptions, PagesOptions } from './verbs/list.ts'
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
export type { WatchOptions } from './verbs/watch.ts'
export type { Patch } from './verbs/write.ts'
export type { WriteListener } from './verbs/write-listeners.ts'
export { version } from './version.ts'
export type { FieldRequirement, FieldSelectorInput } from './views/field-selector.ts'
export type { CheckedKey, KeyScope } from './views/key.ts'
export { checkedKey, checkedNamespace, parsedKey } from './views/key.ts'
export { checkFinalizerName } from './views/label.ts'
export type {
  LabelOperator,
  LabelRequirement,
  LabelSelectorInput,
  LabelSelectorObject,
} from './views/label-selector.ts'
export type {
  DeepPartial,
  Exact,
  FullObject,
  KeyOf,
  ManagedFieldsEntry,
  PartialBrand,
  Projected,
  StoredMeta,
} from './views/object.ts'
export { asKey } from './views/object.ts'
export { apiVersionOf, keyText, resourceName } from './views/path.ts'
export type { ProjectionKind, SelfNamed, SelfNamedProjection } from './views/projection.ts'
export { nameOfProjection, selfNamed } from './views/projection.ts'
export { isExact, projector, readAs, unprojected } from './views/read.ts'
export type { HasMetadata, ResourceDefinition, ResourceType, Within, WithinSelectors } from './views/resource.ts'
export { checkSegment } from './views/segment.ts'
export { isSensitive, redactError } from './views/sensitive.ts'
export { wasFinalized } from './views/was-finalized.ts'
export type { WatchEnd } from './watch/end.ts'
export type { ChangeType } from './watch/line.ts'
export type { WatchStart } from './watch/query.ts'
export type { WatchContext } from './watch/watch.ts'
export { openWatch } from './watch/watch.ts'
