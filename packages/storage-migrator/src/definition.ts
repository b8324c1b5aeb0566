import { type Client, defineResource, type PartialObjectMetadata, type View } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { MigrationError } from './errors.ts'
import { permitted } from './retry.ts'

/** The parts of a definition that a migration needs: the resource to migrate, and the versions. */
export interface StorageTarget {
  /** The definition's name, as `games.arcade.example.com`. */
  readonly definition: string
  readonly uid: string
  /** Grows with each change of the definition's spec. */
  readonly generation: number
  readonly resourceVersion: string
  /** The version at which the server stores written objects. */
  readonly storageVersion: string
  /** The versions at which objects may still be stored, as the API server records them. */
  readonly storedVersions: readonly string[]
  readonly servedVersions: readonly string[]
  /** All versions of the definition, in its order. */
  readonly versions: readonly string[]
  /** The metadata of the definition's objects, at the storage version, or at another version if that is not served. */
  readonly view: View<PartialObjectMetadata>
  /** The metadata of the same objects at the other served versions. */
  readonly otherViews: readonly View<PartialObjectMetadata>[]
}

/** Whether objects can be stored only at the storage version. */
export function isMigrated({ storedVersions, storageVersion }: StorageTarget): boolean {
  return storedVersions.length === 1 && storedVersions[0] === storageVersion
}

/** Whether two reads returned the same definition with the same spec, so that a migration for the first counts for the second. */
export function isSameTarget(
  a: Pick<StorageTarget, 'uid' | 'generation' | 'storageVersion'>,
  b: Pick<StorageTarget, 'uid' | 'generation' | 'storageVersion'>,
): boolean {
  return a.uid === b.uid && a.generation === b.generation && a.storageVersion === b.storageVersion
}

/**
 * Reads a definition.
 *
 * @throws MigrationError if the definition is absent or being deleted, has no storage version or no served version, or may not be read.
 */
export async function readTarget(client: Client, name: string, signal?: AbortSignal): Promise<StorageTarget> {
  const read = (): Promise<CustomResourceDefinition | undefined> =>
    client.get(customResourceDefinitions, { name }, { signal })
  const found = await permitted(client.environment, name, 'get customresourcedefinitions', read, signal)
  if (found === undefined) throw new MigrationError('DEFINITION_NOT_FOUND', name, 'there is no such definition')
  return targetOf(name, found)
}

function targetOf(definition: string, { metadata = {}, spec, status }: CustomResourceDefinition): StorageTarget {
  const { uid = '', generation = 0, resourceVersion = '', deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined) {
    const why = 'the definition is being deleted, and its objects with it: there is nothing to migrate'
    throw new MigrationError('DEFINITION_TERMINATING', definition, why)
  }
  const storage = spec.versions.find(version => version.storage)
  if (storage === undefined) {
    throw new MigrationError('NO_STORAGE_VERSION', definition, 'no version has `storage: true`')
  }
  const servedVersions = spec.versions.filter(({ served }) => served).map(({ name }) => name)
  const version = storage.served ? storage.name : servedVersions[0]
  if (version === undefined) {
    const why =
      'no version is served, so its objects cannot be read: set `served: true` for one while they are migrated'
    throw new MigrationError('NO_SERVED_VERSION', definition, why)
  }
  const { group, names, scope } = spec
  const { kind, plural } = names
  const viewAt = (served: string): View<PartialObjectMetadata> =>
    defineResource({ group, version: served, kind, plural, namespaced: scope === 'Namespaced' }).metadata()
  return {
    ...{ definition, uid, generation, resourceVersion, servedVersions },
    versions: spec.versions.map(({ name }) => name),
    storageVersion: storage.name,
    storedVersions: status?.storedVersions ?? [],
    view: viewAt(version),
    otherViews: servedVersions.filter(name => name !== version).map(viewAt),
  }
}
