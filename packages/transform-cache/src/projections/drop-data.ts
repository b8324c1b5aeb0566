import { selfNamed } from '@wherry/client/internal'
import type { OmitProjection } from './omit.ts'
import { omit } from './omit.ts'

const without = omit('data', 'binaryData', 'stringData')

/** Leaves out `data` and `binaryData` (and `stringData`) of a ConfigMap or Secret, and `metadata.managedFields`. */
export const dropData: OmitProjection<'data' | 'binaryData' | 'stringData'> = selfNamed(
  'dropData',
  <T extends object>(object: T) => without(object),
)
