import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { libraries } from './libraries.ts'
import { measureHash } from './measure.ts'

/** All libraries one after the other, and of each metric the best. */
export async function run({ objects }: SubjectContext): Promise<Metrics> {
  const all = Object.values(libraries).map(digest => measureHash(objects, digest))
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(
    names.map(name => {
      const values = all.map(figures => figures[name] as number)
      return [name, name.endsWith('_us') ? Math.min(...values) : Math.max(...values)]
    }),
  )
}
