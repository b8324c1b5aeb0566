import { jsonBytes } from '@wherry/data'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { fillSource } from '../../server/fill-source.ts'

/** What the objects are as JSON: the measure of the memory that a server needs to hold them. */
export async function run(context: SubjectContext): Promise<Metrics> {
  let json_bytes = 0
  for (const object of fillSource(context.objects)) json_bytes += jsonBytes(object)
  return { json_bytes }
}
