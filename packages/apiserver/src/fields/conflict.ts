import { type StatusCause, StatusError } from '../status.ts'
import { type FieldSet, pathsOf } from './field-set.ts'
import type { Manager } from './managers.ts'
import { pathText } from './path-element.ts'

/** Fields that an apply would take from another manager. */
export interface Conflict {
  readonly manager: Manager
  readonly set: FieldSet
}

/** The 409 that names each field and its owner. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const listed = conflicts
    .map(({ manager, set }) => ({
      owner: shown(manager),
      key: identifier(manager),
      paths: [...pathsOf(set)].map(pathText),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const causes = listed.flatMap(({ owner, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  )
  const [first] = listed
  const message =
    causes.length === 1 && first !== undefined
      ? `1 conflict: conflict with ${first.owner}: ${first.paths[0]}`
      : `${causes.length} conflicts: ${listed.map(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map(path => `- ${path}`)].join('\n')).join('\n')}`
  return new StatusError(409, 'Conflict', `Apply failed with ${message}`, { details: { causes } })
}

/** The string that identifies a manager in kube-apiserver (Go's `BuildManagerIdentifier`). A conflict lists managers in the order of these strings. */
function identifier({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager: name,
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  })
}

function shown({ name, operation, apiVersion, subresource }: Manager): string {
  const owner = `${JSON.stringify(name)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`
  return operation === 'Update' ? `${owner} using ${apiVersion}` : owner
}
