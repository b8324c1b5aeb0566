import { StatusError } from '../status.ts'
import type { AccessAttributes } from './access.ts'

/** The 403 for a request that is not allowed, in kube-apiserver's words, with the `reason` appended if there is one. */
export function forbidden(asked: AccessAttributes, reason = ''): StatusError {
  const { resource, group, name } = asked
  const why = `${escapeMarkup(refusal(asked))}${reason && `: ${reason}`}`
  const headers = { 'x-content-type-options': 'nosniff' }
  if (resource === '') return new StatusError(403, 'Forbidden', `forbidden: ${why}`, { details: {}, headers })
  const what = `${resource}${group && `.${group}`}${name && ` ${quoted(name)}`}`
  const details = { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource }
  return new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, { details, headers })
}

function refusal({ user, verb, resource, subresource, group, namespace, path }: AccessAttributes): string {
  if (resource === '') return `User ${quoted(user.name)} cannot ${verb} path ${quoted(path)}`
  const what = quoted(subresource === '' ? resource : `${resource}/${subresource}`)
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`
  return `User ${quoted(user.name)} cannot ${verb} resource ${what} in API group ${quoted(group)} ${scope}`
}

/** Quotes a text as Go's `%q` does, for all characters that occur in names and paths. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Escapes the markup in a message, as the server does, because the message may be shown in a browser. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
