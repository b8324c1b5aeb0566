import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureOperator } from './measure.ts'

/** Outside of what is committed, and kept: a second run builds nothing. */
const folder = fileURLToPath(new URL('../../../../.cache/bench', import.meta.url))

/** Go's controller-runtime, on custom resources of the same size, so that both read JSON. It needs Go. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await mkdir(folder, { recursive: true })
  const program = `${folder}/wherry-reconciler`
  const cwd = fileURLToPath(new URL('../../go', import.meta.url))
  await promisify(execFile)('go', ['build', '-trimpath', '-buildvcs=false', '-o', program, '.'], { cwd })
  return measureOperator(context, program, [])
}
