import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@wherry/testing'
import type { AuditReport } from '../../packages/cli/src/audit/report/report.ts'

/** How many watches a program has, and on how many objects. */
export interface ManyWatches {
  readonly watches: number
  /** ConfigMaps in each namespace: each has a watch. */
  readonly objectsEach: number
  /** Bytes of the data of each. */
  readonly objectBytes: number
  /** Node's options and the main module of the command line. */
  readonly wherry: readonly string[]
  /** Node's options for the program. */
  readonly node: readonly string[]
}

/** The audit of a program with many watches. */
export interface ManyWatchesAudit {
  readonly report: AuditReport
  /** The most memory (RSS) that the auditor itself had, in bytes. `undefined` if this is not Linux. */
  readonly auditorBytes: number | undefined
}

/** ConfigMaps of so many bytes each, in each namespace. */
export function* configMapsOf(namespaces: readonly string[], each: number, bytes: number): Iterable<object> {
  const data = { filled: 'x'.repeat(bytes) }
  for (const namespace of namespaces)
    for (let at = 0; at < each; at++)
      yield { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: `settings-${at}` }, data }
}

/** Audits a program with a watch in each namespace. It measures the memory of the auditor, a process of its own. */
export async function auditManyWatches({
  watches,
  objectsEach,
  objectBytes,
  wherry,
  node,
}: ManyWatches): Promise<ManyWatchesAudit> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-many-'))
  const namespaces = Array.from({ length: watches }, (_, at) => `team-${at}`)
  await using server = await startApiServer({ isolate: true, clusterObjects: false })
  try {
    await server.fill({ module: import.meta.url, export: 'configMapsOf', args: [namespaces, objectsEach, objectBytes] })
    const kubeconfig = join(folder, 'kubeconfig')
    await server.writeKubeconfig(kubeconfig)
    const program = [process.execPath, ...node, join(import.meta.dirname, 'programs/many-watches.ts'), ...namespaces]
    const args = ['audit', '--kubeconfig', kubeconfig, '--json', '--rest', '20m', '--for', '10m', '--', ...program]
    const auditor = spawn(process.execPath, [...wherry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let auditorBytes: number | undefined
    const printed = { stdout: '', stderr: '' }
    auditor.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
    auditor.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed.stderr += text
      if (!/^watching$/m.test(printed.stderr) || auditor.killed) return
      auditorBytes = mostRss(auditor.pid ?? 0)
      auditor.kill()
    })
    const [status] = await once(auditor, 'close')
    if (status !== 0) throw new Error(`wherry audit ended with ${status}:\n${printed.stderr}`)
    return { report: JSON.parse(printed.stdout) as AuditReport, auditorBytes }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The most RSS that a process had, in bytes. `undefined` if this is not Linux. */
function mostRss(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}
