import { OptionTypeError } from '@wherry/client'
import { checkWritten } from '@wherry/client/internal'

/** The metadata that the server sets. An object that was read has it, and a desired object does not. */
const ofTheServer = [
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const

/** Checks a desired object before anything is sent. @throws OptionTypeError that names the path */
export function checkDesired(desired: unknown): void {
  const { status, ...rest } = (desired ?? {}) as { readonly status?: unknown; readonly metadata?: object }
  if (status !== undefined) {
    throw new OptionTypeError(
      'apply.desired.status',
      'nothing: the status of the primary object is written by status(value)',
      'a status',
    )
  }
  checkWritten('apply.desired', desired === undefined || desired === null ? desired : rest)
  const { metadata = {} } = rest
  for (const name of ofTheServer) {
    if ((metadata as Readonly<Record<string, unknown>>)[name] === undefined) continue
    throw new OptionTypeError(
      `apply.desired.metadata.${name}`,
      'nothing: the server sets it. apply takes what you want, field by field, and not an object that was read',
      'a value',
    )
  }
}
