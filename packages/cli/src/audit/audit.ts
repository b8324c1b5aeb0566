import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { Ledger } from './ledger/ledger.ts'
import { clusterOf, embedded, type Place } from './place.ts'
import { AuditedCommand } from './process/audited-command.ts'
import { MemorySamples } from './process/memory-samples.ts'
import { startProxy } from './proxy/proxy.ts'
import { reportOf } from './report/report.ts'
import { reportTable } from './report/table.ts'
import { rightsYaml } from './rights/rights-yaml.ts'

/** How a program is audited. */
export interface AuditOptions {
  readonly command: readonly string[]
  /** The folder of definitions for the embedded server, if there is one. */
  readonly crds: string
  /** The folder or file of objects for the embedded server. */
  readonly objects: string | undefined
  /** The kubeconfig of a real server. */
  readonly kubeconfig: string | undefined
  /** A context of the kubeconfig. It is asked whether that is meant. */
  readonly cluster: string | undefined
  /** Whether the user need not be asked. */
  readonly isAgreed: boolean
  /** When the command is stopped, in milliseconds. `undefined`: it runs until it ends, or until Ctrl+C. */
  readonly forMs: number | undefined
  /** How long before the end its rest begins, in milliseconds. */
  readonly restMs: number
  /** In which form the result is printed. */
  readonly prints: 'table' | 'json' | 'rbac'
  /** A file that gets the report as JSON. */
  readonly record: string | undefined
  /** How long the command has to stop before it is killed, in milliseconds. */
  readonly graceMs: number
}

/** Runs a command against a proxy of an API server, and prints what it asked for. Resolves with the command's exit status; 0 if the audit ended it. */
export async function audit(options: AuditOptions, host: CommandHost): Promise<number> {
  const record = options.record === undefined ? undefined : resolve(host.cwd, options.record)
  // A file that can't be written is said before the run.
  if (record !== undefined) await appendFile(record, '')
  await using place = await placeOf(options, host)
  const now = (): number => performance.now()
  const ledger = new Ledger(now, options.restMs)
  await using proxy = await startProxy(place.access, ledger)
  const folder = await mkdtemp(join(tmpdir(), 'wherry-audit-'))
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(proxy.kubeconfig), { mode: 0o600 })
    const beganMs = now()
    await using command = await AuditedCommand.start(options.command, environment(kubeconfig), host)
    const samples = new MemorySamples(command.pid, now)
    using stop = new Stop(options.forMs, host)
    const status = await Promise.race([command.ended, stop.reached])
    const ranMs = now() - beganMs
    const requests = [...ledger.atRest()].map(([request, times]) => ({ request, times }))
    if (typeof status !== 'number') await command.stop(status, options.graceMs)
    const memory = await samples.stop()
    await command[Symbol.asyncDispose]()
    await proxy.settled()
    const rest = ranMs < options.restMs ? undefined : { seconds: options.restMs / 1_000, requests }
    const report = reportOf(ledger, { seconds: Math.round(ranMs / 100) / 10, rest, memory })
    const json = `${JSON.stringify(report, undefined, 2)}\n`
    if (record !== undefined) await writeFile(record, json)
    const texts = {
      table: () => reportTable(report),
      json: () => json,
      rbac: () => rightsYaml(ledger.rights.all()),
    }
    host.stdout.write(texts[options.prints]())
    return typeof status === 'number' ? status : 0
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function placeOf(options: AuditOptions, host: CommandHost): Promise<Place> {
  const { crds, objects, kubeconfig, cluster, isAgreed } = options
  if (kubeconfig === undefined && cluster === undefined) return await embedded(crds, objects, host)
  const place = await clusterOf(kubeconfig, cluster, host)
  if (cluster === undefined || isAgreed) return place
  const where = `${cluster} (${place.access.server.href.replace(/\/$/, '')})`
  const question = `Run the command against ${where}, with your rights? wherry audit itself writes nothing there. [y/N] `
  if (!/^y(es)?$/i.test((await host.ask?.(question)) ?? ''))
    throw refused(`nothing was run against ${where}: say y, or --yes if nobody can be asked`)
  return place
}

/** When the audit ends a command, and with which signal. */
class Stop implements Disposable {
  /** Resolves when the time is over, or when the user ends the audit. */
  readonly reached: Promise<NodeJS.Signals>
  readonly #timer: NodeJS.Timeout | undefined

  constructor(forMs: number | undefined, host: CommandHost) {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
    this.reached = promise
    if (forMs !== undefined) this.#timer = setTimeout(() => resolve('SIGTERM'), forMs)
    const ending = host.ending?.()
    const passOn = (): void => resolve(ending?.reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
    if (ending?.aborted) passOn()
    else ending?.addEventListener('abort', passOn, { once: true })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

/** A program reads the kubeconfig before it looks whether it is in a pod, but not every library does. */
function environment(kubeconfig: string): NodeJS.ProcessEnv {
  const { KUBERNETES_SERVICE_HOST: _, KUBERNETES_SERVICE_PORT: __, ...env } = process.env
  const direct = [env.NO_PROXY || env.no_proxy, '127.0.0.1'].filter(Boolean).join(',')
  return { ...env, KUBECONFIG: kubeconfig, NO_PROXY: direct, no_proxy: direct }
}
