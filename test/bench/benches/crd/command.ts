import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { summarise } from '../../harness/statistics.ts'

/** The package as it is built. */
const bin = fileURLToPath(new URL('../../../../packages/cli/dist/bin.js', import.meta.url))
/** Outside of committed folders, and within this package, so that the files find the packages that they import. */
const generated = fileURLToPath(new URL('../../dist/', import.meta.url))

const CHANGES = 5

/** Runs the command once, and then with `--watch` while the file of one kind changes. */
export async function run({ objects }: SubjectContext): Promise<Metrics> {
  await mkdir(generated, { recursive: true })
  const folder = await mkdtemp(join(generated, 'crd-'))
  try {
    const files = Array.from({ length: objects }, (_, i) => `kind${i}.ts`)
    const compilerOptions = { strict: true, target: 'ES2024', module: 'NodeNext', types: ['node'], noEmit: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    for (const [i, file] of files.entries()) await writeFile(join(folder, file), kind(i, 0))
    const begin = performance.now()
    await promisify(execFile)(process.execPath, [bin, 'crd', ...files, '--out', 'crd'], { cwd: folder })
    const crd_ms = performance.now() - begin
    const args = [bin, 'crd', ...files, '--out', 'crd', '--watch']
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      for (const _ of files) await lines.next()
      const times: number[] = []
      for (let change = 1; change <= CHANGES; change++) {
        const start = performance.now()
        // At once, as editors do: a file that is half written would be an error.
        await writeFile(join(folder, 'kind0.new'), kind(0, change))
        await rename(join(folder, 'kind0.new'), join(folder, 'kind0.ts'))
        const { value } = await lines.next()
        if (value !== 'crd/kind0s.bench.example.com.yaml: written') throw new Error(`it says ${value}`)
        times.push(performance.now() - start)
      }
      return { crd_ms, crd_warm_ms: summarise(times).median }
    } finally {
      await ended(child)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGINT')
  await closed
}

/** The interface of a kind with 20 fields. */
function kind(index: number, change: number): string {
  const fields = Array.from(
    { length: 20 },
    (_, i) =>
      `    /**\n     * What field ${i} is for.\n     *\n     * @minimum ${change}\n     * @maximum ${i + 64}\n     */\n    field${i}?: int\n`,
  )
  return `import type { ObjectMeta } from '@wherry/client'
import type { int } from '@wherry/crd'

/**
 * A kind of the benchmark.
 *
 * @group bench.example.com
 * @version v1
 */
export interface Kind${index} {
  metadata?: ObjectMeta
  spec: {
${fields.join('')}  }
}
`
}
