import type { Part } from './part.ts'

/**
 * The status of an object (rule H2), as `{ status }`; an object without a status does not have this part. The part is written to the subresource.
 *
 * @example
 * ```ts
 * import { hashParts, parts, statusPart } from '@wherry/hash-compare'
 *
 * const content = parts({ status: statusPart })
 * console.log(hashParts({ spec: { players: 2 }, status: { phase: 'Running' } }, content))
 * ```
 */
export const statusPart: Part<object> = {
  of: object => {
    const { status } = object as { readonly status?: unknown }
    return status === undefined ? undefined : { status }
  },
  subresource: 'status',
}
