import { createHash } from 'node:crypto'
import { type JsonObject, objectAt, sortKeys } from '@wherry/cel/internal'

/** The letters and digits in the names that Kubernetes makes. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** A hash of ten characters of a workload's template. It differs from the hash that a real controller computes. */
export function templateHash(workload: JsonObject): string {
  const template = objectAt(objectAt(workload, 'spec'), 'template') ?? {}
  const bytes = createHash('sha256')
    .update(JSON.stringify(sortKeys(template)))
    .digest()
  return [...bytes.subarray(0, 10)].map(byte => alphabet[byte % alphabet.length]).join('')
}
