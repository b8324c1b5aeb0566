import type { AccessAttributes } from '../authn/access.ts'
import { parseFieldSelector } from '../selectors/fields.ts'
import type { RequestInfo } from './request-info.ts'

/** The right that a request needs, for any user. */
export type AskedRight = Omit<AccessAttributes, 'user'>

const verbs: ReadonlySet<string> = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
])

/** The right that a request needs. The right to another method than those of the API has no verb. A list or a watch that selects a single name needs only the right to that object. */
export function askedRight({ path, query, target }: RequestInfo, verb: string): AskedRight {
  if (target === undefined)
    return { verb, path, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
  const { group, version, resource, subresource, namespace } = target
  const right = verbs.has(verb) ? verb : ''
  const isSelection = verb === 'list' || verb === 'watch'
  // The namespace of a Namespace is its own name.
  const isItself = resource === 'namespaces' && group === '' && namespace === ''
  return {
    ...{ verb: right, path, group, version, resource, subresource },
    namespace: isItself ? target.name : namespace,
    name: isSelection ? selectedName(target.name, query) : target.name,
  }
}

/** The name in a path, or the name in a field selector; empty if there is neither. */
export function selectedName(name: string, query: URLSearchParams): string {
  const fields = query.get('fieldSelector')
  if (name !== '' || fields === null) return name
  try {
    return parseFieldSelector(fields)?.name ?? ''
  } catch {
    return '' // A selector that does not parse is refused where it is read.
  }
}
