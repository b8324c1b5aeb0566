import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { libraries } from './libraries.ts'
import { measureHash } from './measure.ts'

/** The library that `options.library` names. */
export async function run({ objects, options }: SubjectContext): Promise<Metrics> {
  const digest = libraries[`${options.library}`]
  if (digest === undefined) throw new Error(`no library ${options.library}`)
  return measureHash(objects, digest)
}
