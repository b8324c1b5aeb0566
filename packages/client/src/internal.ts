/** For Wherry's other packages. Any release may change these exports, even a patch: programs import from the package itself. */
export { anySignal } from './any-signal.ts'
export { Backoff, sleep } from './backoff.ts'
export { InvalidBodyError, ItemTooLongError, LineTooLongError } from './bytes/bounds.ts'
export type { ListHead } from './bytes/list-head.ts'
export { readPieces } from './bytes/read.ts'
export { systemClock } from './clock.ts'
export { NodeTransport } from './connection/node-transport.ts'
export { openSocketOf } from './connection/own-sockets.ts'
export { fromUrl } from './credentials/access.ts'
// Here, too, so that a process that should stay small need not load the rest of the package for it.
export { fromKubeconfigFile as accessOfKubeconfig } from './credentials/kubeconfig-file.ts'
export { fromKubeconfigText } from './credentials/kubeconfig-text.ts'
export { guarded, systemEnvironment } from './environment.ts'
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
export { isConnectionError } from './errors/connection-error.ts'
export { errorOfAnswer, maxStatusBytes } from './errors/error-of-answer.ts'
export { isBadRequest, isMethodNotAllowed, isObjectNotFound, isRequestTooLarge } from './errors/guards.ts'
export { mayPass } from './errors/may-pass.ts'
export { peerProblem } from './errors/missing-peer.ts'
export { checkStatus, checkWritten } from './errors/object-check.ts'
export { isInvalidOption } from './errors/option.ts'
export { readItems } from './list/items.ts'
export { InvalidObjectError } from './list/object.ts'
export { PageTokens } from './list/page-tokens.ts'
export { listQuery, nextPageQuery } from './list/query.ts'
export type { ReadTarget } from './list/target.ts'
export { targetsOf } from './list/target.ts'
export type { HeldVersion } from './min-version.ts'
export { hasReached, isDeleted, raised } from './min-version.ts'
export { nodeFault } from './node-faults.ts'
export type { OwnSocket } from './requester.ts'
export type { ResourceVersionOrder } from './resource-version.ts'
export { compareResourceVersions, isAtLeast } from './resource-version.ts'
export { TokenBucket } from './token-bucket.ts'
export { version } from './version.ts'
export { checkedKey, checkedNamespace, parsedKey } from './views/key.ts'
export { checkFinalizerName } from './views/label.ts'
export { selectorObject } from './views/label-selector.ts'
export { asKey } from './views/object.ts'
export { apiVersionOf, keyText, objectPath, resourceName } from './views/path.ts'
export { nameOfProjection, selfNamed } from './views/projection.ts'
export { isExact, projector, readAs, unprojected } from './views/read.ts'
export { checkSegment } from './views/segment.ts'
export { isSensitive, redactError } from './views/sensitive.ts'
export { wasFinalized } from './views/was-finalized.ts'
export type { WatchStart } from './watch/query.ts'
export { openWatch } from './watch/watch.ts'
export { callGuarded, ignored, watched } from './watched.ts'
