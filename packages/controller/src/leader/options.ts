import { hostname } from 'node:os'
import { type Client, type Environment, OptionRangeError, OptionTypeError } from '@wherry/client'
import { callback, checkOptions, checkSegment, flag, having, milliseconds, text } from '@wherry/client/internal'

/** Options of a {@link LeaderElection}. */
export interface LeaderElectionOptions {
  /** Reads and writes the lease: get, create and update of `leases` in its namespace must be allowed. With watch, it learns of a release at once. */
  readonly client: Client
  /** The name of the lease, the same for all candidates. */
  readonly name: string
  /** The lease's namespace. @default the client's own (the pod's, or that of the kubeconfig's context) */
  readonly namespace?: string | undefined
  /**
   * The identity of this process in the lease. Candidates must have different identities, and so must a process and the process that it
   * replaces.
   * @default the host's name, `_` and a random UUID
   */
  readonly identity?: string | undefined
  /** Labels that the lease gets; labels of others stay. @default none */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /**
   * How long a lease must stay unchanged until another candidate takes it, in milliseconds: whole seconds.
   * @default 15_000
   */
  readonly leaseMs?: number | undefined
  /**
   * How long after the start of its last successful renewal the leader stops, in milliseconds; less than `leaseMs`.
   * The rest of the lease is for requests that are then under way, and for clocks of different speeds.
   * @default 10_000
   */
  readonly renewDeadlineMs?: number | undefined
  /**
   * The longest wait between two attempts to get or renew the lease, in milliseconds; less than `renewDeadlineMs`. Each wait is random,
   * from half of it on.
   * @default 2_000
   */
  readonly retryMs?: number | undefined
  /**
   * Whether the lease is released when `lead` has ended in order, so that another candidate can lead at once.
   * Turn it off if work of `lead` continues after `lead` has ended.
   * @default true
   */
  readonly releaseOnStop?: boolean | undefined
  /**
   * How long `lead` may take to end once its signal was aborted, in milliseconds; `Infinity`: as long as it takes.
   * @default 30_000
   */
  readonly graceMs?: number | undefined
  /** Receives the identity of the known leader each time that it changes; `''` if nobody leads. */
  readonly onNewLeader?: ((identity: string) => void) | undefined
}

/** The options with their defaults. */
export type ElectionSettings = Required<{
  readonly [K in keyof LeaderElectionOptions]: NonNullable<LeaderElectionOptions[K]>
}>

/** Checks the options (rule X6). @param of the name of the options in errors */
export function electionSettings(options: LeaderElectionOptions, of = 'leader'): ElectionSettings {
  const checks = {
    client: having('a Client', 'get', 'create', 'update', 'guardedBy'),
    name: text,
    namespace: text,
    identity: text,
    labels,
    leaseMs: wholeSeconds,
    renewDeadlineMs: milliseconds({ min: 1 }),
    retryMs: milliseconds({ min: 1 }),
    releaseOnStop: flag,
    graceMs: milliseconds({ infinite: true }),
    onNewLeader: callback,
  }
  checkOptions(of, options, checks, ['client', 'name'])
  const {
    client,
    name,
    namespace = client.namespace,
    labels: own = {},
    leaseMs = 15_000,
    renewDeadlineMs = 10_000,
  } = options
  const { retryMs = 2_000, releaseOnStop = true, graceMs = 30_000, onNewLeader = () => {} } = options
  const { identity = `${hostname()}_${uuid(client.environment)}` } = options
  if (namespace === undefined) {
    throw new OptionTypeError(`${of}.namespace`, 'a namespace (the client has none of its own)', 'nothing')
  }
  checkSegment('name', name)
  checkSegment('namespace', namespace)
  below(`${of}.renewDeadlineMs`, renewDeadlineMs, 'leaseMs', leaseMs)
  below(`${of}.retryMs`, retryMs, 'renewDeadlineMs', renewDeadlineMs)
  const times = { leaseMs, renewDeadlineMs, retryMs, graceMs }
  return { client, name, namespace, identity, labels: own, ...times, releaseOnStop, onNewLeader }
}

/** @throws OptionTypeError */
function labels(option: string, value: unknown): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || Object.values(value).some(one => typeof one !== 'string'))
    throw new OptionTypeError(option, 'an object of texts', isObject ? 'other values' : typeof value)
}

/** The lease says its duration in seconds. */
function wholeSeconds(option: string, value: unknown): void {
  milliseconds({ min: 1000 })(option, value)
  const seconds = (value as number) / 1000
  // The server keeps the seconds as a 32-bit number.
  if (!Number.isInteger(seconds) || seconds >= 2 ** 31) {
    throw new OptionRangeError(option, 'milliseconds in whole seconds, fewer than 2^31 of them', `${value}`)
  }
}

function below(option: string, value: number, bound: string, limit: number): void {
  if (value >= limit) throw new OptionRangeError(option, `less than ${bound} (${limit})`, `${value}`)
}

/** A UUID from the environment's random numbers, so that a simulated run always has the same one. */
function uuid({ random }: Environment): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('')
  const [a, b, c, d, e] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20), hex.slice(20)]
  return `${a}-${b}-4${c}-a${d}-${e}`
}
