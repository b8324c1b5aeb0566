import { type JsonObject, objectAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import { ageOf, nameOf, type Printer } from './printer.ts'

const unset = '<unset>'
const modes: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** Claims and volumes. */
export const storage: Readonly<Record<string, Printer>> = {
  persistentvolumeclaims: {
    cells(claim, now) {
      const [spec, status] = [objectAt(claim, 'spec'), objectAt(claim, 'status')]
      const volume = stringAt(spec, 'volumeName') ?? ''
      const capacity = volume === '' ? '' : (stringAt(objectAt(status, 'capacity'), 'storage') ?? '0')
      return [
        ...[nameOf(claim), phaseOf(claim), volume, capacity, volume === '' ? '' : modesText(status)],
        ...[classOf(claim), stringAt(spec, 'volumeAttributesClassName') ?? unset, ageOf(claim, now)],
        stringAt(spec, 'volumeMode') ?? unset,
      ]
    },
  },
  persistentvolumes: {
    cells(volume, now) {
      const [spec, status] = [objectAt(volume, 'spec'), objectAt(volume, 'status')]
      const claim = objectAt(spec, 'claimRef')
      const owner = claim === undefined ? '' : `${stringAt(claim, 'namespace') ?? ''}/${stringAt(claim, 'name') ?? ''}`
      return [
        ...[nameOf(volume), stringAt(objectAt(spec, 'capacity'), 'storage') ?? '0', modesText(spec)],
        ...[stringAt(spec, 'persistentVolumeReclaimPolicy') ?? '', phaseOf(volume), owner, classOf(volume)],
        ...[stringAt(spec, 'volumeAttributesClassName') ?? unset, stringAt(status, 'reason') ?? ''],
        ...[ageOf(volume, now), stringAt(spec, 'volumeMode') ?? unset],
      ]
    },
  },
}

function phaseOf(object: KubeObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return stringAt(objectAt(object, 'status'), 'phase') ?? ''
}

function classOf(object: KubeObject): string {
  const old = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class']
  return old ?? stringAt(objectAt(object, 'spec'), 'storageClassName') ?? ''
}

function modesText(of: JsonObject | undefined): string {
  const given = of === undefined || own(of, 'accessModes') === undefined ? [] : stringsAt(of, 'accessModes')
  return modes.flatMap(([mode, short]) => (given.includes(mode) ? [short] : [])).join(',')
}
