import { type ApiError, isConflict, isInvalid } from '@wherry/client'

/**
 * Whether a write was refused because the object is not the one that was observed (rule H10): another resourceVersion, another
 * uid (which a patch is told as 422 on `metadata.uid`), or a field that another manager owns. Observe it again, then decide
 * again; never write past it.
 */
export function isWriteConflict(error: unknown): error is ApiError {
  return isConflict(error) || (isInvalid(error) && error.causes.some(({ field }) => field === 'metadata.uid'))
}
