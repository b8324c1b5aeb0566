import { hash } from 'node:crypto'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureHash } from './measure.ts'

/** What Node does natively, with members in whatever order they come: a plain loop, and no digest of content. */
export async function run({ objects }: SubjectContext): Promise<Metrics> {
  return measureHash(objects, object => hash('sha256', JSON.stringify(object), 'base64url'))
}
