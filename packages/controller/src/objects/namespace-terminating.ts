import { isForbidden } from '@wherry/client'

/** Whether the server refused a write because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isForbidden(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')
}
