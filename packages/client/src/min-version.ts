import { isAtLeast } from './resource-version.ts'

/** An object after a write of this process. */
export interface Written {
  readonly uid: string | undefined
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>> | undefined
}

/** The oldest state of one object that a reader may get after the writes of this process. */
export interface MinVersion {
  /** The state after the last write: readers may get no older one. */
  readonly written: Written | undefined
  /** The uids of the last deleted objects of the key: readers may get none of them. */
  readonly deleted: readonly string[]
}

/** The state of an object that a reader has. */
export interface HeldVersion {
  /** `undefined`: the object is absent */
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** The resourceVersions that the reader's sources have reached: the reader has all changes up to them. */
  readonly reached: readonly (string | undefined)[]
}

/** The maximum number of uids of deleted objects that are remembered for one key. */
const mostDeleted = 10

/** The minimum version after a further write. Answers may arrive in another order than the writes, so an older write changes nothing. */
export function raised<M extends MinVersion>(min: M | undefined, write: M): M {
  if (min === undefined) return write
  const { written, deleted } = min
  if (write.written === undefined) {
    // The written version stays as a lower bound: a reader before it may have an even older object of the name. Without an order, no reader could
    // show that it has reached the version of an object that is gone.
    const isLeft =
      isAmong(written?.uid, write.deleted) && !isAtLeast(written?.resourceVersion, written?.resourceVersion)
    return {
      ...write,
      written: isLeft ? undefined : written,
      deleted: [...deleted, ...write.deleted].slice(-mostDeleted),
    }
  }
  const { uid, resourceVersion } = write.written
  const isAfter = written?.resourceVersion !== resourceVersion && isAtLeast(written?.resourceVersion, resourceVersion)
  return isAfter || isAmong(uid, deleted) ? min : { ...write, deleted }
}

/** Whether the object that a reader has was deleted by this process. */
export function isDeleted({ uid }: HeldVersion, { deleted }: MinVersion): boolean {
  return isAmong(uid, deleted)
}

/** Whether a reader has the state after a write, or a newer one: `false` if the order of the versions is not known. */
export function hasReached({ resourceVersion, reached }: HeldVersion, written: Written | undefined): boolean {
  if (written === undefined || resourceVersion === written.resourceVersion) return true
  return (
    isAtLeast(resourceVersion, written.resourceVersion) || reached.some(one => isAtLeast(one, written.resourceVersion))
  )
}

function isAmong(uid: string | undefined, uids: readonly string[]): boolean {
  return uid !== undefined && uids.includes(uid)
}
