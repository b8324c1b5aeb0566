import { objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import { nameOf, type Printer } from './printer.ts'

/** CustomResourceDefinitions. */
export const definitions: Readonly<Record<string, Printer>> = {
  'customresourcedefinitions.apiextensions.k8s.io': {
    cells(object) {
      const spec = objectAt(object, 'spec')
      const names = objectAt(spec, 'names')
      const versions = objectsAt(spec, 'versions')
        .filter(version => own(version, 'served') === true)
        .map(version => `${stringAt(version, 'name')}${own(version, 'storage') === true ? '(storage)' : ''}`)
      const isEstablished = objectsAt(objectAt(object, 'status'), 'conditions').some(
        condition => stringAt(condition, 'type') === 'Established' && stringAt(condition, 'status') === 'True',
      )
      return [
        nameOf(object),
        stringAt(spec, 'scope') ?? '',
        versions.sort().join(','),
        object.metadata.creationTimestamp ?? '',
        stringAt(spec, 'group') ?? '',
        stringAt(names, 'kind') ?? '',
        stringsAt(names, 'shortNames').join(','),
        isEstablished,
      ]
    },
  },
}
