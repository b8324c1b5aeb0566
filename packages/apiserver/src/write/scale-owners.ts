import type { Registry } from '../definitions/registry.ts'
import { metadataType } from '../fields/builtin-types.ts'
import { below, difference, type FieldSet, hasField, member } from '../fields/field-set.ts'
import { type FieldType, fieldType } from '../fields/field-type.ts'
import { type Manager, readManagers, sameManager, writeManagers } from '../fields/managers.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { replicasPath } from './scale.ts'

type Managed = KubeObject['metadata']['managedFields']

const scaleVersion = 'autoscaling/v1'
const replicasOfScale = setOf(['spec', 'replicas'])

/** The type by which the fields of a Scale are owned. */
export const scaleType: FieldType = struct('Scale', {
  apiVersion: fieldType({ kind: 'string' }),
  kind: fieldType({ kind: 'string' }),
  metadata: metadataType(),
  spec: struct('ScaleSpec', { replicas: fieldType({ kind: 'number' }) }),
  status: struct('ScaleStatus', { replicas: fieldType({ kind: 'number' }), selector: fieldType({ kind: 'string' }) }),
})

/** The resource of the Scales of a resource's objects. */
export function asScales(type: ResourceType): ResourceType {
  const kind = { group: 'autoscaling', version: 'v1', apiVersion: scaleVersion, kind: 'Scale', plural: 'scales' }
  return { ...type, ...kind, hasStatus: false, schema: undefined, conversion: undefined }
}

/** The `managedFields` of an object's Scale: the owners of the object's replicas own the Scale's replicas. No other field of the Scale has an owner. */
export function managedOfScale(managedFields: Managed, registry: Registry, type: ResourceType): Managed {
  const managers = readManagers(managedFields) ?? []
  const owners = managers.filter(manager => owns(manager, pathAt(manager.apiVersion, registry, type)))
  return writeManagers(
    owners.map(owner => ({ ...owner, apiVersion: scaleVersion, set: replicasOfScale, entry: undefined })),
  )
}

/**
 * The `managedFields` of an object after a write to its Scale, which resulted in `ofScale`. Managers that do not own the replicas in `ofScale` lose them.
 * Managers that are new in `ofScale` get no time, as on a real server.
 */
export function managedByScale(
  managedFields: Managed,
  ofScale: Managed,
  registry: Registry,
  type: ResourceType,
): Managed {
  const scalers = (readManagers(ofScale) ?? []).filter(scaler => owns(scaler, ['spec', 'replicas']))
  const kept: Manager[] = []
  const known = new Set<Manager>()
  for (const manager of readManagers(managedFields) ?? []) {
    const path = pathAt(manager.apiVersion, registry, type)
    // The fields of a version that is no longer served have no owner.
    if (path === undefined) continue
    const still = scalers.find(scaler => sameManager(scaler, manager))
    if (still !== undefined) known.add(still)
    const set = difference(manager.set, setOf(path))
    if (!owns(manager, path) || still !== undefined) kept.push(manager)
    else if (set !== undefined) kept.push({ ...manager, set, entry: undefined })
  }
  const { apiVersion } = type
  const added = scalers
    .filter(scaler => !known.has(scaler))
    .map(scaler => ({ ...scaler, apiVersion, time: undefined, set: setOf(replicasPath(type)), entry: undefined }))
  return writeManagers([...kept, ...added])
}

function struct(name: string, fields: Readonly<Record<string, FieldType>>): FieldType {
  return fieldType({
    kind: 'map',
    struct: true,
    name: `autoscaling.v1.${name}`,
    fields: new Map(Object.entries(fields)),
  })
}

function setOf(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((set, name) => ({ [`f:${name}`]: set }), member)
}

function owns({ set }: Manager, path: readonly string[] | undefined): boolean {
  if (path === undefined) return false
  const parent = path.slice(0, -1).reduce<FieldSet | undefined>((found, name) => below(found, `f:${name}`), set)
  return hasField(parent, `f:${path.at(-1)}`)
}

/** The path of the desired replicas in objects of an apiVersion; `undefined` if the version is not served. */
function pathAt(apiVersion: string, registry: Registry, type: ResourceType): string[] | undefined {
  const found = registry.find(type.group, apiVersion.split('/').at(-1) as string, type.plural)
  return found === undefined || found.apiVersion !== apiVersion ? undefined : replicasPath(found)
}
