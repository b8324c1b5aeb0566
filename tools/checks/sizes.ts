import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { command } from '../test/command.ts'
import type { Found } from '../test/step.ts'
import type { WorkspacePackage } from '../workspace.ts'
import { packed } from './packed.ts'

/** The most bytes behind a package's main entry, where its package.json names no other bound (`wherry.maxBytes`). */
const defaultMaxBytes = 500_000

/** The code of ours that importing `entry` loads: the file and, through its static imports, the chunks next to it. */
export function loadedBy(entry: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const source = readFileSync(entry, 'utf8')
  for (const [, specifier = ''] of source.matchAll(/(?:^|[;}])(?:import|export)\b[^'";()]*?['"](\.[^'"]+)['"]/gm))
    loadedBy(join(dirname(entry), specifier), seen)
  return seen
}

/**
 * Says how large each package's own code is (as loaded by its main entry, plain and gzipped) and what importing it
 * costs a fresh process (median of three): time and memory depend on the machine and are only printed; bytes have a
 * bound.
 */
export async function checkSizes(): Promise<Found> {
  const failures: string[] = []
  const notes: string[] = []
  for (const { one } of await packed()) {
    const entry = join(one.folder, 'dist/index.js')
    const files = [...loadedBy(entry)].map(file => readFileSync(file))
    const bytes = files.reduce((sum, file) => sum + file.length, 0)
    const gzipped = gzipSync(Buffer.concat(files)).length
    const { ms, megabytes } = await importCost(entry)
    const size = `${(bytes / 1000).toFixed(1)} kB, ${(gzipped / 1000).toFixed(1)} kB gzipped`
    notes.push(`${one.name}: ${size}; import ${ms.toFixed(0)} ms, ${megabytes.toFixed(1)} MB of RSS`)
    if (bytes > maxBytes(one)) failures.push(`${one.name} loads ${bytes} bytes; its bound is ${maxBytes(one)}`)
  }
  return { passed: notes.length - failures.length, failures, notes }
}

/** The most bytes that an import of the package may load. */
export function maxBytes({ manifest }: WorkspacePackage): number {
  return manifest.wherry?.maxBytes ?? defaultMaxBytes
}

async function importCost(entry: string): Promise<{ ms: number; megabytes: number }> {
  const script = `
    const before = process.memoryUsage.rss(), start = performance.now()
    await import(${JSON.stringify(pathToFileURL(entry).href)})
    const ms = performance.now() - start
    console.log(JSON.stringify({ ms, megabytes: (process.memoryUsage.rss() - before) / 1e6 }))
    process.exit()`
  const runs: { ms: number; megabytes: number }[] = []
  for (let run = 0; run < 3; run += 1) {
    const ended = await command(process.execPath, ['--input-type=module', '-e', script], { limitMs: 300_000 })
    if (ended.code !== 0) throw new Error(`importing ${entry} failed:\n${ended.output}`)
    runs.push(JSON.parse(ended.output) as { ms: number; megabytes: number })
  }
  const median = (values: number[]): number => values.sort((a, b) => a - b)[1] as number
  return { ms: median(runs.map(run => run.ms)), megabytes: median(runs.map(run => run.megabytes)) }
}
