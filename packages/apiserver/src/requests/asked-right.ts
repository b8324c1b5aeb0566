import type { AccessAttributes } from '../authn/access.ts'
import { parseFieldSelector } from '../selectors/fields.ts'
import type { RequestInfo } from './request-info.ts'

/** A right that a request needs of any user. */
export type AskedRight = Omit<AccessAttributes, 'user'>

/** The right that access to a request is decided by. A list or a watch that selects one name needs the right to this object only. */
export function askedRight({ path, query, target }: RequestInfo, verb: string): AskedRight {
  if (target === undefined)
    return { verb, path, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
  const { group, version, resource, subresource, namespace } = target
  const isSelection = verb === 'list' || verb === 'watch'
  // A namespace itself is in itself.
  const isItself = resource === 'namespaces' && group === '' && namespace === ''
  return {
    ...{ verb, path, group, version, resource, subresource },
    namespace: isItself ? target.name : namespace,
    name: isSelection ? selectedName(target.name, query) : target.name,
  }
}

/** The name in a path, or the name that its field selector selects; empty if there is neither. */
export function selectedName(name: string, query: URLSearchParams): string {
  const fields = query.get('fieldSelector')
  if (name !== '' || fields === null) return name
  try {
    return parseFieldSelector(fields)?.name ?? ''
  } catch {
    return '' // A selector that does not parse is refused where it is read.
  }
}
