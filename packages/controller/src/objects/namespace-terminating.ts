import { isForbidden } from '@wherry/client'

/** Whether a write was refused because its namespace is being deleted: nothing is made in there any more. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isForbidden(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')
}
