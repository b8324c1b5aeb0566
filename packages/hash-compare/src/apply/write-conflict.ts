import { type ApiError, isConflict, isInvalid } from '@wherry/client'

/**
 * Whether the server refused a write because the object is not the observed one (rule H10): another resourceVersion, another uid (a patch gets a
 * 422 on `metadata.uid` for that), or a field that another manager owns. Observe the object again, then decide again; never force the write.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { applyIfChanged, isWriteConflict, parts, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const desired = { metadata: { name: 'settings', namespace: 'arcade' }, data: { colour: 'blue' } }
 * const client = await Client.connect()
 * const observed = await client.get(configMaps, desired.metadata)
 * await applyIfChanged(client, configMaps, desired, observed, content).catch(error => {
 *   if (!isWriteConflict(error)) throw error
 *   console.log('it has changed since it was observed: observe it again')
 * })
 * ```
 */
export function isWriteConflict(error: unknown): error is ApiError {
  return isConflict(error) || (isInvalid(error) && error.causes.some(({ field }) => field === 'metadata.uid'))
}
