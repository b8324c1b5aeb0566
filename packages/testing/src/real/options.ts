import type { User } from '@wherry/apiserver'
import { call, checkTaken, duration, flag, isRecord, oneOf, type Taken, text, users } from '@wherry/apiserver/internal'
import type { FindOptions } from './find-binary.ts'

/** Options of a real API server. */
export interface RealApiServerOptions extends FindOptions {
  /** A kube-apiserver with an etcd. */
  readonly kind?: 'real' | undefined
  /** Feature gates by name: `{ ShardedListAndWatch: true }`. @default those of the version */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /** Whether sharded lists and watches (KEP-5866, alpha) are understood: the gate ShardedListAndWatch. @default false */
  readonly shards?: boolean | undefined
  /**
   * Runs kube-controller-manager's controllers of namespaces, garbage, service accounts and `kube-root-ca.crt` as well, in the same process.
   * Without them a deleted namespace stays `Terminating` and dependents outlive their owners, as with envtest. Not with
   * KUBEBUILDER_ASSETS, which has no controllers.
   *
   * @default false; with `startApiServer({ kind: 'real' })`: true if the server has controllers, as with an embedded server
   */
  readonly controllers?: boolean | undefined
  /**
   * Creates in each namespace the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`; needs `controllers`. The server creates its own
   * objects, such as the Service `kubernetes`, in any case. With KUBEBUILDER_ASSETS this option has no effect.
   *
   * @default true
   */
  readonly clusterObjects?: boolean | undefined
  /**
   * The rights of users: `RBAC`, or `allow`: everybody with credentials may do everything.
   *
   * @default 'RBAC'; with `startApiServer({ kind: 'real' })`: 'allow', as with an embedded server
   */
  readonly authorization?: 'RBAC' | 'allow' | undefined
  /** Users by bearer token, in addition to the administrator. With RBAC they have only the rights that tests grant. @default none */
  readonly tokens?: Readonly<Record<string, Omit<User, 'extra'>>> | undefined
  /** Whether an audit log is kept, for `rights()`. @default false */
  readonly recordRights?: boolean | undefined
  /**
   * Whether the admission plugin `OwnerReferencesPermissionEnforcement` is on: an owner with `blockOwnerDeletion` needs the
   * right to update its `finalizers`, and a change of owners the right to delete the object. Some clusters turn it on.
   *
   * @default false
   */
  readonly enforceOwnerRights?: boolean | undefined
  /** More flags of kube-apiserver, by name without dashes. They override Wherry's own flags. @default none */
  readonly flags?: Readonly<Record<string, string>> | undefined
  /** How long the server may take to be ready, in milliseconds, at the start and at each restart. @default 60_000 */
  readonly readyTimeoutMs?: number | undefined
}

const recordOf = (what: string, each: Taken): Taken => ({
  takes: `${what} by name`,
  ok: value => isRecord(value) && Object.values(value as object).every(each.ok),
})

const environment: Taken = { takes: 'an environment', ok: isRecord }

/** The options of both kinds of server. */
const common = {
  shards: flag,
  controllers: flag,
  clusterObjects: flag,
  authorization: oneOf('RBAC', 'allow'),
  tokens: users,
  recordRights: flag,
  enforceOwnerRights: flag,
} satisfies Readonly<Record<string, Taken>>

const known: Readonly<Record<keyof RealApiServerOptions, Taken>> = {
  ...common,
  kind: oneOf('real'),
  version: text,
  build: flag,
  onProgress: call,
  env: environment,
  featureGates: recordOf('true or false', flag),
  flags: recordOf('strings', text),
  readyTimeoutMs: duration,
}

const knownOfAny: Readonly<Record<string, Taken>> = {
  ...common,
  kind: oneOf('embedded', 'real', 'auto'),
  env: environment,
}

/** Refuses unknown options of a real server and wrong values. Throws an `OptionError`. */
export function checkRealOptions(options: RealApiServerOptions): void {
  checkTaken(options, known)
}

/** Throws an `OptionError` for options of only one kind of server. */
export function checkCommonOptions(options: object): void {
  checkTaken(options, knownOfAny)
}
