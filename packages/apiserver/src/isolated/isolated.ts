import { resolve } from 'node:path'
import type { ControlledApiServer, FillSource } from '../api-server.ts'
import type { FaultRule } from '../faults/fault-rule.ts'
import type { FaultHandle } from '../faults/faults.ts'
import { checkSource } from '../fill.ts'
import type { Kubeconfig } from '../kubeconfig.ts'
import { checkOptions, type EmbeddedOptions, OptionError } from '../options.ts'
import type { ServerStats } from '../stats.ts'
import type { ServerFacts } from './messages.ts'
import { ServerChannel } from './server-channel.ts'

/** An API server in its own process: it does not share memory and event loop with the test. */
export interface IsolatedApiServer extends ControlledApiServer {
  /** The id of the server's process, for measurements. The process ends on `close`, and when this process ends in any way. */
  readonly pid: number
}

/** The number of objects of an iterable in one message. */
const FILL_BATCH = 500

/**
 * Starts an API server in a child process. Throws an `OptionError` for options that can't be sent to the process (`clock`, `random`, `webhooks`, an authorizer
 * function), and for `sockets: false`, because nothing could reach such a server.
 */
export async function startIsolated(options: EmbeddedOptions): Promise<IsolatedApiServer> {
  checkOptions(options)
  for (const name of ['clock', 'random', 'webhooks'] as const) {
    if (options[name] !== undefined) throw new OptionError(name, 'can not be given to an isolated server')
  }
  if (typeof options.authorization === 'function') {
    throw new OptionError('authorization', "takes 'allow' or 'RBAC' for an isolated server")
  }
  if (options.sockets === false) throw new OptionError('sockets', 'takes true for an isolated server')
  const channel = new ServerChannel()
  try {
    const { isolate: _, kind: __, ...crossing } = options
    return new IsolatedServer(channel, await channel.call('start', crossing))
  } catch (error) {
    await channel.close()
    throw error
  }
}

class IsolatedServer implements IsolatedApiServer {
  readonly kind: 'embedded' = 'embedded'
  readonly url: string
  readonly ca: string | undefined
  readonly token: string
  readonly kubeconfig: Kubeconfig
  readonly pid: number
  readonly faults: ControlledApiServer['faults']
  readonly #channel: ServerChannel
  #closed: Promise<void> | undefined

  constructor(channel: ServerChannel, { url, ca, token, kubeconfig }: ServerFacts) {
    this.#channel = channel
    this.url = url
    this.ca = ca
    this.token = token
    this.kubeconfig = kubeconfig
    this.pid = channel.pid ?? 0
    this.faults = {
      add: rule => this.#addFault(rule),
      clear: () => channel.call('clearFaults'),
    }
  }

  writeKubeconfig(path: string): Promise<void> {
    return this.#channel.call('writeKubeconfig', resolve(path))
  }

  clientCertificate(
    subject: Parameters<ControlledApiServer['clientCertificate']>[0],
  ): ReturnType<ControlledApiServer['clientCertificate']> {
    return this.#channel.call('clientCertificate', subject)
  }

  stats(): Promise<ServerStats> {
    return this.#channel.call('stats')
  }

  account(...given: Parameters<ControlledApiServer['account']>): ReturnType<ControlledApiServer['account']> {
    return this.#channel.call('account', ...given)
  }

  rights(): ReturnType<ControlledApiServer['rights']> {
    return this.#channel.call('rights')
  }

  usedRights(user: string): ReturnType<ControlledApiServer['usedRights']> {
    return this.#channel.call('usedRights', user)
  }

  resetRights(): Promise<void> {
    return this.#channel.call('resetRights')
  }

  resetStats(): Promise<void> {
    return this.#channel.call('resetStats')
  }

  /** Fills the server. An iterable is read here and sent to the server's process, which takes longer than a module that is loaded there. */
  async fill(source: FillSource): Promise<number> {
    checkSource(source)
    if (!(Symbol.iterator in source)) return this.#channel.call('fill', source)
    let count = 0
    let batch: object[] = []
    for (const object of source) {
      if (batch.push(object) < FILL_BATCH) continue
      count += await this.#channel.call('fill', batch)
      batch = []
    }
    return batch.length === 0 ? count : count + (await this.#channel.call('fill', batch))
  }

  revision(): Promise<number> {
    return this.#channel.call('revision')
  }

  compact(revision?: number): Promise<number> {
    return this.#channel.call('compact', revision)
  }

  expireWatchCaches(): Promise<void> {
    return this.#channel.call('expireWatchCaches')
  }

  restart(): Promise<void> {
    return this.#channel.call('restart')
  }

  restoreEtcd(revision: number): Promise<void> {
    return this.#channel.call('restoreEtcd', revision)
  }

  endWatches(resource?: string): Promise<void> {
    return this.#channel.call('endWatches', resource)
  }

  refuse(on: boolean): Promise<void> {
    return this.#channel.call('refuse', on)
  }

  goawayAll(): Promise<void> {
    return this.#channel.call('goawayAll')
  }

  breakConnections(): Promise<void> {
    return this.#channel.call('breakConnections')
  }

  close(): Promise<void> {
    this.#closed ??= this.#channel.close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #addFault(rule: FaultRule): Promise<FaultHandle> {
    const id = await this.#channel.call('addFault', rule)
    const remove = (): Promise<void> => this.#channel.call('removeFault', id)
    return { remove, hits: () => this.#channel.call('faultHits', id), [Symbol.asyncDispose]: remove }
  }
}
