import { OptionTypeError } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** A finding of the gate in an update of a definition. */
export interface GateFinding {
  /**
   * - `removes-stored-version`: the API server will refuse the update, since objects may be stored at the version.
   * - `removes-served-version`: the version's clients get 404, and their watches end without an error.
   * - `stops-serving`: the same, by `served: false`.
   * - `needs-migration`: the storage version changes, so objects will be stored at more than one version.
   */
  readonly kind: 'removes-stored-version' | 'removes-served-version' | 'stops-serving' | 'needs-migration'
  readonly version: string
  /** Whether the API server refuses the update because of the finding. Other findings are warnings. */
  readonly refused: boolean
  /** The consequence and the remedy. */
  readonly message: string
}

/** The parts of a definition that the gate reads: from the cluster, or from a manifest. */
export type GateDefinition = Pick<CustomResourceDefinition, 'metadata' | 'spec' | 'status'>

/**
 * Finds the effects of an update of a definition, before the API server refuses the update or clients fail. Sends no request.
 *
 * @param before the present definition of the cluster, with its `status.storedVersions`.
 * @param after the new definition; its status is ignored.
 * @returns the findings, with refused changes first; an empty list if the update is safe.
 * @throws OptionTypeError if `before` has no `status.storedVersions`, or an argument is no definition.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
 * import { gate } from '@wherry/storage-migrator'
 *
 * const before = await (await Client.connect()).get(customResourceDefinitions, { name: 'games.arcade.example.com' })
 * if (before !== undefined) {
 *   const versions = before.spec.versions.filter(({ name }) => name !== 'v1')
 *   console.log(gate(before, { ...before, spec: { ...before.spec, versions } }).map(({ kind }) => kind))
 * }
 * ```
 */
export function gate(before: GateDefinition, after: GateDefinition): GateFinding[] {
  check('before', before)
  check('after', after)
  const stored = before.status?.storedVersions
  if (!Array.isArray(stored) || stored.length === 0) {
    throw new OptionTypeError('gate.before', 'a definition of the cluster, with its status.storedVersions', 'none')
  }
  const name = before.metadata?.name ?? `${before.spec.names.plural}.${before.spec.group}`
  const kept = new Map(after.spec.versions.map(version => [version.name, version]))
  const refused: GateFinding[] = stored
    .filter(version => !kept.has(version))
    .map(version => ({
      kind: 'removes-stored-version',
      version,
      refused: true,
      message: `${version} is removed, but objects may be stored at it (status.storedVersions of ${name}): migrate them first`,
    }))
  const warnings = before.spec.versions.flatMap((version): GateFinding[] => {
    if (!version.served) return []
    const now = kept.get(version.name)
    if (now?.served === true || (now === undefined && stored.includes(version.name))) return []
    const kind = now === undefined ? 'removes-served-version' : 'stops-serving'
    const message = `${version.name} is served no more: its watches end without an error, and its requests are 404`
    return [{ kind, version: version.name, refused: false, message }]
  })
  const storage = after.spec.versions.find(version => version.storage)?.name
  if (storage === undefined || stored.includes(storage)) return [...refused, ...warnings]
  const message = `${storage} becomes the storage version: objects stay stored at ${stored.join(', ')} until they are migrated`
  return [...refused, ...warnings, { kind: 'needs-migration', version: storage, refused: false, message }]
}

function check(option: string, definition: GateDefinition): void {
  if (Array.isArray(definition?.spec?.versions)) return
  throw new OptionTypeError(`gate.${option}`, 'a CustomResourceDefinition with its versions', `${definition}`)
}
