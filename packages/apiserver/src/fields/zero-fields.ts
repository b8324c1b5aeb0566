import type { Json } from '@wherry/cel/internal'

/**
 * Fields that Go prints in an object in which nothing is set, besides structs: the creator of an object owns them only
 * if they have another value.
 */
const printed: Readonly<Record<string, readonly string[]>> = {
  'core.v1.Event': ['firstTimestamp', 'lastTimestamp', 'eventTime', 'reportingComponent', 'reportingInstance'],
  'resource.v1.ResourcePool': ['generation'],
}

/** Whether a field of a type has the value that it has in an object in which nothing is set. */
export function isPrintedZero(type: string, field: string, value: Json | undefined): boolean {
  return (value === null || value === '' || value === 0) && printed[type]?.includes(field) === true
}
