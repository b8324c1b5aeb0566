import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureConversion } from './measure.ts'

/** Nobody is asked: the list is at the version that the objects are stored at. */
export async function run(context: SubjectContext): Promise<Metrics> {
  return measureConversion(context, undefined)
}
