import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@wherry/client/resources/apiextensions'
import { same } from '../schema/json-schema.ts'
import type { DefinitionChange, SchemaChange, Verdict } from './change.ts'
import { conversionNeeds } from './conversion-needs.ts'
import { schemaChanges } from './schema-changes.ts'
import { versionChanges } from './version-changes.ts'

/**
 * The changes of a definition, and whether they are safe for stored objects and for clients.
 *
 * Objects are stored at the versions in `status.storedVersions` of the old definition. If that is empty, as in some manifests, it is the storage version. A narrower schema of
 * another version breaks only clients.
 *
 * @param old the present definition of a cluster, or an earlier manifest
 * @param next the new definition, with the same name
 */
export function definitionChanges(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
): readonly DefinitionChange[] {
  const changes: DefinitionChange[] = []
  const [was, is] = [byName(old), byName(next)]
  const storage = storageOf(old)
  const listed = old.status?.storedVersions ?? []
  const stored = new Set(listed.length === 0 && storage !== undefined ? [storage.name] : listed)
  sharedChanges(old, next, changes)
  for (const [name, version] of was) {
    const now = is.get(name)
    if (now === undefined) changes.push(...removed(version, stored.has(name)))
    else {
      changes.push(...versionChanges(version, now))
      if (stored.has(name) || version.served)
        for (const one of schemasOf(version, now))
          changes.push({ version: name, ...one, verdict: limited(one, stored.has(name)) })
    }
  }
  const needs = conversionNeeds(old, next)
  for (const name of is.keys()) {
    if (was.has(name)) continue
    const needsNone = is.size > 1 && needs.length === 0
    changes.push(
      whole(
        name,
        'version added',
        'safe',
        needsNone ? 'It needs no conversion: no version lacks a field of the storage version.' : '',
      ),
    )
  }
  changes.push(...needs)
  const nextStorage = storageOf(next)
  if (storage !== undefined && nextStorage !== undefined && storage.name !== nextStorage.name)
    changes.push(...moved(next, storage, nextStorage, is.has(storage.name)))
  return changes
}

/** Adds the changes of settings that all versions share: the group, the scope, the names and the conversion strategy. */
function sharedChanges(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
  changes: DefinitionChange[],
): void {
  const shared = (path: string, change: string, verdict: Verdict, advice: string): void =>
    void changes.push({ version: undefined, path, change, verdict, advice })
  const changed = (path: string, was: unknown, is: unknown, verdict: Verdict, advice: string): void => {
    if (!same(was, is)) shared(path, `${text(is)}, was ${text(was)}`, verdict, advice)
  }
  const fixed = (path: string, was: unknown, is: unknown): void =>
    changed(
      path,
      was,
      is,
      'breaks stored objects',
      'The server refuses this. Define another kind, and copy the objects.',
    )
  const { names: wasNames, conversion: wasConversion } = old.spec
  const { names, conversion } = next.spec
  fixed('spec.group', old.spec.group, next.spec.group)
  fixed('spec.scope', old.spec.scope, next.spec.scope)
  fixed('spec.names.kind', wasNames.kind, names.kind)
  fixed('spec.names.plural', wasNames.plural, names.plural)
  const known = 'Clients know the kind by it: keep the old name.'
  const listKind = (of: typeof names): string => of.listKind ?? `${of.kind}List`
  const singular = (of: typeof names): string => of.singular ?? of.kind.toLowerCase()
  changed('spec.names.listKind', listKind(wasNames), listKind(names), 'breaks clients', known)
  changed('spec.names.singular', singular(wasNames), singular(names), 'breaks clients', known)
  for (const list of ['shortNames', 'categories'] as const)
    for (const name of wasNames[list] ?? [])
      if (names[list]?.includes(name) !== true)
        shared(
          `spec.names.${list}`,
          `without ${name}`,
          'breaks clients',
          'Commands that name it find nothing: keep it.',
        )
  const [wasStrategy, strategy] = [wasConversion?.strategy ?? 'None', conversion?.strategy ?? 'None']
  if (wasStrategy !== strategy) {
    const isLost = strategy === 'None'
    // With a single version, objects are never converted.
    const isNeeded = next.spec.versions.length > 1
    const verdict = isLost ? 'breaks stored objects' : isNeeded ? 'breaks clients' : 'safe'
    const advice = isLost
      ? 'Migrate all objects to the storage version first.'
      : isNeeded
        ? 'Have the webhook answer before you apply this: without it no object can be read at another version than its own.'
        : ''
    changed('spec.conversion.strategy', wasStrategy, strategy, verdict, advice)
  }
}

function removed(version: CustomResourceDefinitionVersion, isStored: boolean): readonly DefinitionChange[] {
  if (isStored) {
    const advice =
      'The server refuses this. Keep the version with served: false, run npx @wherry/storage-migrator NAME, then remove it.'
    return [whole(version.name, 'version removed that is in storedVersions', 'breaks stored objects', advice)]
  }
  if (!version.served) return [whole(version.name, 'version removed', 'safe')]
  return [whole(version.name, 'version removed', 'breaks clients', 'Keep it until no client asks for it.')]
}

/** The changes by a new storage version. */
function moved(
  next: CustomResourceDefinition,
  from: CustomResourceDefinitionVersion,
  to: CustomResourceDefinitionVersion,
  isKept: boolean,
): readonly DefinitionChange[] {
  const note = whole(
    to.name,
    `storage version, was ${from.name}`,
    'safe',
    'Migrate the objects after you have applied this: npx @wherry/storage-migrator NAME',
  )
  // A webhook converts objects between the versions.
  if (!isKept || (next.spec.conversion?.strategy ?? 'None') !== 'None') return [note]
  const lost = schemasOf(from, to).filter(({ verdict }) => verdict === 'breaks stored objects')
  return [
    note,
    ...lost.map(one => ({
      ...one,
      version: to.name,
      change: `${one.change} (against ${from.name}, without conversion)`,
    })),
  ]
}

function schemasOf(
  old: CustomResourceDefinitionVersion,
  next: CustomResourceDefinitionVersion,
): readonly SchemaChange[] {
  const all = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return schemaChanges(old.schema?.openAPIV3Schema ?? all, next.schema?.openAPIV3Schema ?? all)
}

/** The verdict for a version. If no object is stored at it, a change breaks no stored objects, but clients that write the version. */
function limited({ verdict }: SchemaChange, isStored: boolean): Verdict {
  return verdict === 'breaks stored objects' && !isStored ? 'breaks clients' : verdict
}

function whole(version: string, change: string, verdict: Verdict, advice: string = ''): DefinitionChange {
  return { version, path: '', change, verdict, advice }
}

function byName({ spec }: CustomResourceDefinition): ReadonlyMap<string, CustomResourceDefinitionVersion> {
  return new Map(spec.versions.map(version => [version.name, version]))
}

function storageOf({ spec }: CustomResourceDefinition): CustomResourceDefinitionVersion | undefined {
  return spec.versions.find(({ storage }) => storage)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
