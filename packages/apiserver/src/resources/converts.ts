import type { KubeObject } from '../objects/object.ts'
import type { StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import type { ResourceType } from './resource-type.ts'

/** How an object is stored, and how the request that wrote it sees it. */
export interface StoredForm {
  readonly object: KubeObject
  /** The version that `object` is of, and the schema that it was written under. */
  readonly version: string
  readonly schema: string | undefined
  /** The object at the version at which it was written. */
  readonly shown: KubeObject
}

/** How objects of a resource get from version to version: by a definition's webhook, or as built-ins do. */
export interface Converts {
  /** Whether a state must be converted, and was not, before `type` can show it. */
  lacks(type: ResourceType, version: Version): boolean
  /** Converts a state for `type`. Within a request alone; throws what a real server refuses. */
  prepare(type: ResourceType, version: Version): void
  /** Converts all that a list shows. The webhook is asked for each by itself, as the storage of a real server does. */
  prepareList(type: ResourceType, versions: readonly Version[]): void
  /** As `prepare`, for a watch after its request is over: resolves when the state is converted, or with the error. */
  fetch(type: ResourceType, version: Version): Promise<StatusError | undefined>
  /** A state as `type` shows it; itself outside of a request, where no webhook can be asked. */
  view(type: ResourceType, version: Version): Version
  /** An object at another version. Within a request alone. */
  object(object: KubeObject, to: string): KubeObject
  /** Whether writing `object` through `type` leaves the stored object as it is. */
  unchanged(type: ResourceType, object: KubeObject, before: Version): boolean
  /** The form in which an object that is written through `type`, in place of `before`, is stored. */
  stored(type: ResourceType, object: KubeObject, before: Version | undefined): StoredForm
  /** Remembers how a state that was just stored looks to the request that wrote it. */
  remember(type: ResourceType, version: Version, shown: KubeObject): void
}
