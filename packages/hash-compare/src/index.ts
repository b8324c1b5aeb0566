export type { WriteHashesOptions, WrittenHashes } from './annotations/hashes-annotation.ts'
export { readHashes, writeHashes } from './annotations/hashes-annotation.ts'
export { hashesAnnotation } from './annotations/key.ts'
export type { Applied, ApplyIfChangedOptions, Write } from './apply/applied.ts'
export { applyIfChanged } from './apply/apply-if-changed.ts'
export { isWriteConflict } from './apply/write-conflict.ts'
export type { CanonicalOptions } from './canonical/canonicalize.ts'
export { canonicalize } from './canonical/canonicalize.ts'
export { hash } from './canonical/hash.ts'
export type { Integers } from './canonical/json-rules.ts'
export type {
  CopyCache,
  CopyHandler,
  CopyHold,
  CopyInformer,
  CopyRegistration,
} from './copies/copy-cache.ts'
export type { CopyEvent, CopyWrite, WriteReason } from './copies/copy-event.ts'
export { CopyReconciler } from './copies/copy-reconciler.ts'
export type { DampingOptions } from './copies/damper.ts'
export { Damper } from './copies/damper.ts'
export {
  CopiesNotRunningError,
  CopiesNotSettledError,
  CopyNameTakenError,
  HashesNotKeptError,
  InvalidCopyError,
} from './copies/errors.ts'
export { copiedFromAnnotation, copySetLabel, copySourceLabel } from './copies/marks.ts'
export type { CopyCounts } from './copies/meter.ts'
export type { CopyReconcilerOptions } from './copies/options.ts'
export type { CopyPlan, PlannedWork } from './copies/plan.ts'
export type { CopyReport } from './copies/report.ts'
export { InexactIntegerError, NotJsonError } from './errors.ts'
export type { HashAtIngestOptions, NamedProjection } from './ingest/hash-at-ingest.ts'
export { hashAtIngest } from './ingest/hash-at-ingest.ts'
export type { HashedMetadata, HashedObject } from './ingest/hashed-object.ts'
export { isHashedObject } from './ingest/hashed-object.ts'
export type { PartDifference, PathsOf } from './parts/compare-parts.ts'
export { compareParts } from './parts/compare-parts.ts'
export type { Part, PartFunction } from './parts/part.ts'
export type { PartHashes, Parts } from './parts/parts.ts'
export { hashParts, parts } from './parts/parts.ts'
export type { KeyFilter, SpecPartOptions } from './parts/spec-part.ts'
export { specPart } from './parts/spec-part.ts'
export { statusPart } from './parts/status-part.ts'
