import type { Json } from '@wherry/cel/internal'

/** Fields, except structs, that Go prints in an object without any values. The creator of an object owns them only if they have another value. */
const printed: Readonly<Record<string, readonly string[]>> = {
  'core.v1.Event': ['firstTimestamp', 'lastTimestamp', 'eventTime', 'reportingComponent', 'reportingInstance'],
  'resource.v1.ResourcePool': ['generation'],
}

/** Whether a field of a type has the same value as in an object without any values. */
export function isPrintedZero(type: string, field: string, value: Json | undefined): boolean {
  return (value === null || value === '' || value === 0) && printed[type]?.includes(field) === true
}

/** Fields other than times that Go prints as null if they are absent. */
export const printedNulls: ReadonlySet<string> = new Set(['core.v1.TypedObjectReference.apiGroup'])
