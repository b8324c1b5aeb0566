import type { ControlledApiServer } from '../api-server.ts'
import type { FaultRule } from '../faults/fault-rule.ts'
import type { Kubeconfig } from '../kubeconfig.ts'
import type { EmbeddedOptions } from '../options.ts'
import type { PackedError } from './packed-error.ts'

/** The properties of a server that do not change while it runs. */
export interface ServerFacts {
  readonly url: string
  readonly ca: string | undefined
  readonly token: string
  readonly kubeconfig: Kubeconfig
}

/** The calls to the server's process: their arguments and results. */
export interface Calls
  extends Pick<
    ControlledApiServer,
    | 'writeKubeconfig'
    | 'clientCertificate'
    | 'stats'
    | 'resetRights'
    | 'resetStats'
    | 'account'
    | 'rights'
    | 'usedRights'
    | 'fill'
    | 'revision'
    | 'compact'
    | 'expireWatchCaches'
    | 'restart'
    | 'restoreEtcd'
    | 'endWatches'
    | 'refuse'
    | 'goawayAll'
    | 'breakConnections'
    | 'close'
  > {
  start(options: EmbeddedOptions): Promise<ServerFacts>
  /** Resolves with a number that identifies the fault. */
  addFault(rule: FaultRule): Promise<number>
  removeFault(fault: number): Promise<void>
  faultHits(fault: number): Promise<number>
  clearFaults(): Promise<void>
}

/** The message of a call to the server's process. */
export interface CallMessage {
  readonly id: number
  readonly method: keyof Calls
  readonly args: readonly unknown[]
}

/** The message of the answer to a call. */
export type AnswerMessage =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PackedError }
