import { selfNamed } from '@wherry/client/internal'
import type { OmitProjection } from './omit.ts'
import { omit } from './omit.ts'

const without = omit('data', 'binaryData', 'stringData')

/**
 * Leaves out `data` and `binaryData` (and `stringData`) of a ConfigMap or Secret, and `metadata.managedFields`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { dropData, TransformCache } from '@wherry/transform-cache'
 *
 * const kinds = secrets.project(dropData) // the type of each Secret, and none of its values
 * const cache = new TransformCache({ client: await Client.connect(), views: [kinds] })
 * cache.start()
 * const secret = await cache.get(kinds, { name: 'db', namespace: 'arcade' })
 * console.log(secret?.type) // Opaque
 * ```
 */
export const dropData: OmitProjection<'data' | 'binaryData' | 'stringData'> = selfNamed(
  'dropData',
  <T extends object>(object: T) => without(object),
)
