import { hostname } from 'node:os'
import { type Client, type Environment, OptionRangeError, OptionTypeError } from '@wherry/client'
import { type Check, checkOptions, flag, milliseconds, text } from '@wherry/client/internal'
import { electionSettings, type LeaderElectionOptions } from '../leader/options.ts'
import { ringLabel } from './ring-names.ts'

/** How the operator is a shard of a `ControllerRing` of kubernetes-controller-sharding (rule C7). */
export interface OperatorShardOptions
  extends Pick<
    LeaderElectionOptions,
    'namespace' | 'leaseMs' | 'renewDeadlineMs' | 'retryMs' | 'releaseOnStop' | 'graceMs'
  > {
  /** The name of the ControllerRing. */
  readonly ring: string
  /**
   * The name of this shard in the ring, and of its lease: a host name of lower-case letters, digits, `-` and `.`, up to 63. Each process has
   * another name; a process that takes the name of one that died waits until the lease of that one has expired.
   * @default the host's name, `-` and 8 random digits and letters
   */
  readonly name?: string | undefined
}

/** A shard, with its lease. */
export interface ShardSettings {
  readonly ring: string
  readonly name: string
  /** How long to wait before the ring is read again, in milliseconds. */
  readonly retryMs: number
  readonly election: Omit<LeaderElectionOptions, 'client'> & { readonly namespace: string }
}

const checks: Readonly<Record<keyof OperatorShardOptions, Check>> = {
  ring: named,
  name: named,
  namespace: text,
  leaseMs: milliseconds(),
  renewDeadlineMs: milliseconds(),
  retryMs: milliseconds(),
  releaseOnStop: flag,
  graceMs: milliseconds({ infinite: true }),
}

/** Checks the options, and fills in the defaults (rule X6). @throws OptionTypeError, OptionRangeError */
export function shardSettings(options: OperatorShardOptions, client: Client): ShardSettings {
  checkOptions('shards', options, checks, ['ring'])
  const { ring, name = defaultName(client.environment), ...lease } = options
  const election = { ...lease, name, identity: name, labels: { [ringLabel]: ring } }
  const { namespace, retryMs } = electionSettings({ ...election, client }, 'shards')
  return { ring, name, retryMs, election: { ...election, namespace } }
}

/** A name that a lease can have, and the value, or the end of the key, of a label. */
function named(option: string, value: unknown): void {
  const takes = 'lower-case letters, digits, - and ., up to 63'
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  const isName = value.length <= 63 && value.split('.').every(part => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))
  if (!isName) throw new OptionRangeError(option, takes, JSON.stringify(value))
}

function defaultName({ random }: Environment): string {
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-/g, '')
    .slice(0, 54)
  const suffix = Array.from({ length: 8 }, () => Math.floor(random() * 36).toString(36)).join('')
  return `${host === '' ? 'shard' : host.replace(/-$/, '')}-${suffix}`
}
