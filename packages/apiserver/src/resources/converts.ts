import type { KubeObject } from '../objects/object.ts'
import type { StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import type { ResourceType } from './resource-type.ts'

/** The stored form of an object, and the form that its writer receives. */
export interface StoredForm {
  readonly object: KubeObject
  /** The version of `object`. */
  readonly version: string
  /** The fingerprint of the schema under which `object` was written; `undefined` if its defaults are filled in only when it is read. */
  readonly schema: string | undefined
  /** The object at the version at which it was written. */
  readonly shown: KubeObject
}

/** Converts the objects of a resource between its versions: by a definition's webhook, or by the rules of a built-in. */
export interface Converts {
  /** Whether a state must be converted before `type` can show it, and is not converted yet. */
  lacks(type: ResourceType, version: Version): boolean
  /** Converts a state for `type`. Only within a request. Throws the server's refusals. */
  prepare(type: ResourceType, version: Version): void
  /** Converts the states in a list. The webhook is called for each state alone, as the storage of a real server does. */
  prepareList(type: ResourceType, versions: readonly Version[]): void
  /** As `prepare`, for a watch after its request is over: resolves when the state is converted, or with the error. */
  fetch(type: ResourceType, version: Version): Promise<StatusError | undefined>
  /** A state as `type` shows it. Outside of a request, no webhook can be called, so a state that is not converted yet is returned unchanged. */
  view(type: ResourceType, version: Version): Version
  /** An object at another version. Only within a request. */
  object(object: KubeObject, to: string): KubeObject
  /** Whether writing `object` through `type` would leave the stored object unchanged. */
  unchanged(type: ResourceType, object: KubeObject, before: Version): boolean
  /** The form in which an object that is written through `type`, in place of `before`, is stored. */
  stored(type: ResourceType, object: KubeObject, before: Version | undefined): StoredForm
  /** Remembers the form of a new state that its writer receives. */
  remember(type: ResourceType, version: Version, shown: KubeObject): void
}
