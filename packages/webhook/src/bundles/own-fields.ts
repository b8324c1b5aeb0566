import type { Bundled } from './holder.ts'

/** The fields of an object that a field manager still owns, and the time of its last apply, in seconds. */
export interface OwnFields {
  readonly time: string
  readonly fields: string
}

/** The fields that a manager owns in an object; `undefined` if there are none. */
export function ownFields({ metadata }: Bundled, fieldManager: string): OwnFields | undefined {
  const entry = metadata.managedFields?.find(
    ({ manager, operation, subresource }) => manager === fieldManager && operation === 'Apply' && !subresource,
  )
  return entry && { time: `${entry.time}`, fields: JSON.stringify(entry.fieldsV1) }
}

/**
 * Whether another writer has taken a field away since then. Another version of the operator, which runs during a rollout, does not count: it applies its own
 * fields, which changes the time too.
 */
export function isTaken(then: OwnFields, now: OwnFields | undefined): boolean {
  return now === undefined || (now.time === then.time && now.fields !== then.fields)
}

/** The paths at which a live value differs from the wanted value. Additional fields, such as defaults of the server, are left out. */
export function unlike(wanted: unknown, live: unknown, path = ''): string[] {
  if (wanted === undefined) return []
  if (typeof wanted !== 'object' || wanted === null) return wanted === live ? [] : [path]
  if (typeof live !== 'object' || live === null) return [path]
  if (Array.isArray(wanted) && (!Array.isArray(live) || live.length !== wanted.length)) return [path]
  const at = (key: string): unknown => (live as Readonly<Record<string, unknown>>)[key]
  return Object.entries(wanted).flatMap(([key, value]) =>
    unlike(value, at(key), Array.isArray(wanted) ? path : [path, key].filter(Boolean).join('.')),
  )
}
