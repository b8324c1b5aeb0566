import { type ApiError, isConflict, isInvalid } from '@wherry/client'

/**
 * Whether the server refused a write because the object is not the observed one (rule H10): another resourceVersion, another uid (a patch gets a
 * 422 on `metadata.uid` for that), or a field that another manager owns. Observe the object again, then decide again; never force the write.
 */
export function isWriteConflict(error: unknown): error is ApiError {
  return isConflict(error) || (isInvalid(error) && error.causes.some(({ field }) => field === 'metadata.uid'))
}
