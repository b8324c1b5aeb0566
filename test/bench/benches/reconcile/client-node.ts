import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureNode } from './measure.ts'

/** The official client's informer and p-queue, as people write it. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureNode(context, new URL('./client-node-program.ts', import.meta.url))
}
