export type { ClientOptions } from './client.ts'
export { Client } from './client.ts'
export type { Clock } from './clock.ts'
export type { ProxySettings } from './connection/proxy-settings.ts'
export { proxyFor, proxySettings } from './connection/proxy-settings.ts'
export type { ClusterAccess } from './credentials/access.ts'
export type { Credentials } from './credentials/credentials.ts'
export { CredentialsError } from './credentials/error.ts'
export { inCluster } from './credentials/in-cluster.ts'
export { fromKubeConfig } from './credentials/kubeconfig.ts'
export { fromKubeconfigFile } from './credentials/kubeconfig-file.ts'
export type { Environment, Metrics } from './environment.ts'
export { ApiError, ResourceNotFoundError } from './errors/api-error.ts'
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
export { OptionRangeError, OptionTypeError } from './errors/option.ts'
export { TimeoutError } from './errors/timeout.ts'
export type { List, ListOptions, ListPage } from './verbs/list.ts'
export type { WatchHandlers } from './verbs/watch.ts'
export type { JsonPatchOperation } from './verbs/write.ts'
export { FieldSelector } from './views/field-selector.ts'
export { LabelSelector } from './views/label-selector.ts'
export type {
  FromServer,
  KubernetesObject,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  Scope,
} from './views/object.ts'
export type { Projection } from './views/projection.ts'
export type { Resource, View } from './views/resource.ts'
export { defineResource } from './views/resource.ts'
export type { WatchEvent } from './watch/events.ts'
export type { Watch } from './watch/watch.ts'
