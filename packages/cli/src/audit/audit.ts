import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import type { GameOptions } from './game/game-options.ts'
import type { GameReport, GameStage } from './game/play.ts'
import { Ledger } from './ledger/ledger.ts'
import { Received } from './ledger/received.ts'
import { clusterOf, type Place } from './place.ts'
import { AuditedCommand } from './process/audited-command.ts'
import { MemorySamples } from './process/memory-samples.ts'
import { keepHeapSmall } from './process/small-heap.ts'
import { startProxy } from './proxy/proxy.ts'
import { reportOf } from './report/report.ts'
import { reportTable } from './report/table.ts'

/** How a program is audited. */
export interface AuditOptions {
  readonly command: readonly string[]
  /** The folder of definitions for the embedded server. The folder may be missing. */
  readonly crds: string
  /** The folder or file of objects for the embedded server. */
  readonly objects: string | undefined
  /** The kubeconfig of a real server. */
  readonly kubeconfig: string | undefined
  /** The name of a context of the kubeconfig. `wherry audit` asks the user to confirm the cluster of that context, unless `isAgreed`. */
  readonly cluster: string | undefined
  /** Whether the user need not be asked. */
  readonly isAgreed: boolean
  /** The time after which the command is stopped, in milliseconds. `undefined`: the command runs until it ends, or until Ctrl+C. */
  readonly forMs: number | undefined
  /**
   * The length of the rest, in milliseconds: the last part of the run, in which the command should send no requests. A game waits for as long without a request
   * before it begins and before it ends.
   */
  readonly restMs: number
  /** Objects that come and go while the command runs. The audit ends with the game. */
  readonly game: GameOptions | undefined
  /** The form of the printed result. */
  readonly prints: 'table' | 'json' | 'rbac'
  /** A file that gets the report as JSON. */
  readonly record: string | undefined
  /** A file that gets the report as a page. */
  readonly html: string | undefined
  /** The time between the signal to stop the command and its kill, in milliseconds. */
  readonly graceMs: number
}

/**
 * Runs a command against a proxy of an API server, and prints its requests. Resolves with the command's exit status, or 0 if the audit ended the command; 1 if
 * the command failed the game.
 */
export async function audit(options: AuditOptions, host: CommandHost): Promise<number> {
  keepHeapSmall()
  const [record, html] = [options.record, options.html].map(file => file && resolve(host.cwd, file))
  // Fails before the run if a file can't be written.
  for (const file of [record, html]) if (file !== undefined) await appendFile(file, '')
  const received = new Received(`wherry-audit-${randomBytes(4).toString('hex')}`)
  await using place = await placeOf(options, received.namespace, host)
  const now = (): number => performance.now()
  const ledger = new Ledger(now, options.restMs, received)
  await using proxy = await startProxy(place.access, ledger)
  const folder = await mkdtemp(join(tmpdir(), 'wherry-audit-'))
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(proxy.kubeconfig), { mode: 0o600 })
    const beganMs = now()
    await using command = await AuditedCommand.start(options.command, environment(kubeconfig), host)
    await using samples = new MemorySamples(command.pid, now, () => ledger.receivedBytes)
    using stop = new Stop(options.forMs, host)
    await using game = new RunningGame(options.game, {
      access: place.access,
      received,
      ledger,
      samples,
      restMs: options.restMs,
      hurry: stop.again,
      say: line => void host.stderr.write(`wherry audit: ${line}\n`),
      deletion: namespace => place.deletion(namespace),
    })
    const status = await Promise.race([command.ended, stop.reached, game.over])
    const played = await game.end()
    const ranMs = now() - beganMs
    const requests = [...ledger.atRest()].map(([request, times]) => ({ request, times }))
    if (typeof status !== 'number') await command.stop(status, options.graceMs, stop.again)
    const memory = await samples.stop()
    await command[Symbol.asyncDispose]()
    await proxy.settled()
    const rest = ranMs < options.restMs ? undefined : { seconds: options.restMs / 1_000, requests }
    const report = reportOf(ledger, { seconds: Math.round(ranMs / 100) / 10, rest, memory, game: played })
    const json = `${JSON.stringify(report, undefined, 2)}\n`
    if (record !== undefined) await writeFile(record, json)
    if (html !== undefined) await writeFile(html, (await import('./report/page.ts')).reportPage(report))
    const texts = {
      table: () => reportTable(report),
      json: () => json,
      // Imported here, so that the library for YAML takes no memory during the run.
      rbac: async () => (await import('./rights/rights-yaml.ts')).rightsYaml(ledger.rights.all()),
    }
    host.stdout.write(await texts[options.prints]())
    if (options.game !== undefined && played === undefined)
      throw refused(
        `the game was not played to its end: the command did not rest for ${options.restMs / 1_000} s, or ended before`,
      )
    if (report.findings.some(({ finding }) => finding === 'game-received' || finding === 'game-memory')) return 1
    return typeof status === 'number' ? status : 0
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function placeOf(options: AuditOptions, namespace: string, host: CommandHost): Promise<Place> {
  const { crds, objects, kubeconfig, cluster, isAgreed } = options
  if (kubeconfig === undefined && cluster === undefined) {
    const { embedded } = await import('./embedded-place.ts')
    return await embedded(crds, objects, host)
  }
  const place = await clusterOf(kubeconfig, cluster, host)
  if (cluster === undefined || isAgreed) return place
  const where = `${cluster} (${place.access.server.href.replace(/\/$/, '')})`
  const writes =
    options.game === undefined
      ? 'wherry audit itself writes nothing there.'
      : `wherry audit --game makes the namespace ${namespace} there, writes ConfigMaps, Secrets, Pods and Events into it, and deletes it.`
  const question = `Run the command against ${where}, with your rights? ${writes} [y/N] `
  if (!/^y(es)?$/i.test((await host.ask?.(question)) ?? ''))
    throw refused(`nothing was run against ${where}: say y, or --yes if nobody can be asked`)
  return place
}

/** A game that is played while the command runs. Does nothing if the user did not ask for a game. */
class RunningGame implements AsyncDisposable {
  /** Resolves when the game was played to its end, and rejects if the game fails. */
  readonly over: Promise<NodeJS.Signals>
  readonly #controller = new AbortController()
  readonly #report: Promise<GameReport | undefined>

  constructor(options: GameOptions | undefined, stage: Omit<GameStage, 'signal'>) {
    const { signal } = this.#controller
    const never = new Promise<never>(() => undefined)
    const playing = async (played: GameOptions) => (await import('./game/play.ts')).play(played, { ...stage, signal })
    this.#report = Promise.resolve(options && playing(options)).catch((error: Error) => {
      if (signal.aborted) return undefined
      throw refused(`the game can't be played: ${oneLine(error.message)}`, error)
    })
    this.over = this.#report.then(report => (report === undefined ? never : 'SIGTERM'))
    this.over.catch(() => undefined)
  }

  /** Ends the game. Resolves when its namespace is deleted or named to the user, with the report if the game was played to its end. */
  end(): Promise<GameReport | undefined> {
    this.#controller.abort()
    return this.#report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => undefined)
  }
}

/** Waits for a reason to stop the command: its time is over, or this process receives SIGINT or SIGTERM. */
class Stop implements Disposable {
  /** Resolves when the time is over, or when the user ends the audit. */
  readonly reached: Promise<NodeJS.Signals>
  /** Aborted when this process receives SIGINT or SIGTERM for the second time. */
  readonly again: AbortSignal
  readonly #timer: NodeJS.Timeout | undefined

  constructor(forMs: number | undefined, host: CommandHost) {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
    this.reached = promise
    if (forMs !== undefined) this.#timer = setTimeout(() => resolve('SIGTERM'), forMs)
    const again = new AbortController()
    this.again = again.signal
    const ending = host.ending?.()
    const passOn = (): void => {
      resolve(ending?.reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
      const second = host.ending?.()
      second?.addEventListener('abort', () => again.abort(new Error('the audit was interrupted twice')), { once: true })
    }
    if (ending?.aborted) passOn()
    else ending?.addEventListener('abort', passOn, { once: true })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

/** The environment of the command, without the variables of a pod: some libraries would use the pod's service account rather than KUBECONFIG. */
function environment(kubeconfig: string): NodeJS.ProcessEnv {
  const { KUBERNETES_SERVICE_HOST: _, KUBERNETES_SERVICE_PORT: __, ...env } = process.env
  const direct = [env.NO_PROXY || env.no_proxy, '127.0.0.1'].filter(Boolean).join(',')
  return { ...env, KUBECONFIG: kubeconfig, NO_PROXY: direct, no_proxy: direct }
}
