import { hash } from '@wherry/hash-compare'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureHash } from './measure.ts'

/** Ours. */
export async function run({ objects }: SubjectContext): Promise<Metrics> {
  return measureHash(objects, object => hash(object))
}
