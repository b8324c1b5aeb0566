import { hostname } from 'node:os'
import { type Client, type Environment, OptionRangeError, OptionTypeError } from '@wherry/client'
import { type Check, checkOptions, flag, integer, milliseconds, text } from '@wherry/client/internal'
import { electionSettings, type LeaderElectionOptions } from '../leader/options.ts'
import { ringLabel } from './ring-names.ts'

/** The label of a lease that names the shards that it belongs to. */
export const shardsLabel = 'shards.wherry.dev/of'
/** The label of a lease that has the number of these shards. */
export const countLabel = 'shards.wherry.dev/count'

/** The lease that each shard has. */
export interface ShardLeaseOptions
  extends Pick<
    LeaderElectionOptions,
    'namespace' | 'leaseMs' | 'renewDeadlineMs' | 'retryMs' | 'releaseOnStop' | 'graceMs'
  > {}

/** How the operator is a shard of a `ControllerRing` of kubernetes-controller-sharding (rule C7). */
export interface OperatorRingOptions extends ShardLeaseOptions {
  /** The name of the ControllerRing. */
  readonly ring: string
  /**
   * The name of this shard in the ring, and of its lease: a host name of lower-case letters, digits, `-` and `.`, up to 63. Each process must have
   * a name of its own. A process that takes the name of a dead process waits until that process's lease has expired.
   * @default the host's name, `-` and 8 random digits and letters
   */
  readonly name?: string | undefined
  /** Not with a ring. */
  readonly count?: undefined
  /** Not with a ring. */
  readonly index?: undefined
}

/**
 * Alpha. How several processes share the primary objects by a hash of their uids (rule C7), with nothing installed in the cluster. API servers with the
 * feature gate `ShardedListAndWatch` (alpha in Kubernetes 1.36) send each process only its own part of them; others send all, and each process keeps its part.
 */
export interface OperatorUidShardOptions extends ShardLeaseOptions {
  /** How many processes there are, 1 to 1024: the same number in each. */
  readonly count: number
  /** Which of them this process is: 0 for the first. @default the number at the end of the host's name, which a StatefulSet gives to its pods */
  readonly index?: number | undefined
  /** What the names of the leases begin with; `-` and the index follow. @default the operator's name */
  readonly name?: string | undefined
  /** Not with a count. */
  readonly ring?: undefined
}

/** How the operator is a shard. */
export type OperatorShardOptions = OperatorRingOptions | OperatorUidShardOptions

/** The lease of a shard. */
export interface ShardElection extends Omit<LeaderElectionOptions, 'client' | 'name'> {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

interface LeaseSettings {
  /** The name of this shard in its ring; the name of all shards together if they share the objects by their uids. */
  readonly name: string
  /** How long to wait before the ring or the leases are read again, in milliseconds. */
  readonly retryMs: number
  readonly election: ShardElection
}

/** A shard of a ring, with its lease. */
export interface RingSettings extends LeaseSettings {
  readonly ring: string
  readonly count?: undefined
}

/** A shard that has its part of the objects by their uids, with its lease. */
export interface UidSettings extends LeaseSettings {
  readonly ring: undefined
  readonly count: number
  /** `undefined`: the number at the end of the host's name. */
  readonly index: number | undefined
}

/** A shard, with its lease. */
export type ShardSettings = RingSettings | UidSettings

const leaseChecks: Readonly<Record<keyof ShardLeaseOptions, Check>> = {
  namespace: text,
  leaseMs: milliseconds(),
  renewDeadlineMs: milliseconds(),
  retryMs: milliseconds(),
  releaseOnStop: flag,
  graceMs: milliseconds({ infinite: true }),
}

/**
 * Checks the options, and fills in the defaults (rule X6).
 * @param operator its name
 * @throws OptionTypeError, OptionRangeError
 */
export function shardSettings(options: OperatorShardOptions, client: Client, operator: string): ShardSettings {
  const settled = (name: string, election: Omit<ShardElection, 'namespace'>): LeaseSettings => {
    const { namespace, retryMs } = electionSettings({ ...election, name, client }, 'shards')
    return { name, retryMs, election: { ...election, namespace } }
  }
  if ((options as { readonly count?: unknown } | null)?.count === undefined) {
    checkOptions('shards', options, { ...leaseChecks, ring: named, name: named }, ['ring'])
    const {
      ring,
      name = defaultName(client.environment),
      count: _,
      index: __,
      ...lease
    } = options as OperatorRingOptions
    return { ring, ...settled(name, { ...lease, identity: name, labels: { [ringLabel]: ring } }) }
  }
  const checks = { ...leaseChecks, count: integer(1), index: integer(0), name: named }
  checkOptions('shards', options, checks, ['count'])
  const { count, index, name = operator, ring: _, ...lease } = options as OperatorUidShardOptions
  if (count > 1024) throw new OptionRangeError('shards.count', '1 to 1024', `${count}`)
  if (index !== undefined && index >= count)
    throw new OptionRangeError('shards.index', `0 to ${count - 1}, since count is ${count}`, `${index}`)
  const labels = { [shardsLabel]: name, [countLabel]: `${count}` }
  return { ring: undefined, count, index, ...settled(name, { ...lease, labels }) }
}

/** Checks a name that a lease, the value of a label, and the last part of a label's key can have. */
function named(option: string, value: unknown): void {
  const takes = 'lower-case letters, digits, - and ., up to 63'
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  const isName = value.length <= 63 && value.split('.').every(part => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))
  if (!isName) throw new OptionRangeError(option, takes, JSON.stringify(value))
}

/** The number of a StatefulSet's pod. @throws OptionTypeError for a host name without one, OptionRangeError for one that is too large */
export function ordinalOf(host: string, count: number): number {
  const ordinal = /-(\d{1,4})$/.exec(host)?.[1]
  if (ordinal === undefined) {
    throw new OptionTypeError('shards.index', `a number, since the host's name, ${host}, ends with none`, 'nothing')
  }
  const index = Number(ordinal)
  if (index < count) return index
  throw new OptionRangeError('shards.count', `more than ${index}, the number at the end of the host's name`, `${count}`)
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
