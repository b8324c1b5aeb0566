import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { ageOf, nameOf, type Printer } from './printer.ts'

const binding: Printer = {
  cells(object, now) {
    const role = objectAt(object, 'roleRef')
    const subjects = objectsAt(object, 'subjects')
    return [
      nameOf(object),
      `${stringAt(role, 'kind') ?? ''}/${stringAt(role, 'name') ?? ''}`,
      ageOf(object, now),
      ...['User', 'Group', 'ServiceAccount'].map(kind => named(subjects, kind)),
    ]
  },
}

/** The bindings of roles to users. */
export const rights: Readonly<Record<string, Printer>> = {
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
}

function named(subjects: readonly JsonObject[], kind: string): string {
  return subjects
    .filter(one => stringAt(one, 'kind') === kind)
    .map(one => {
      const [name, namespace] = [stringAt(one, 'name') ?? '', stringAt(one, 'namespace') ?? '']
      return kind === 'ServiceAccount' ? `${namespace}/${name}` : name
    })
    .join(', ')
}
