/**
 * The kubeconfig of a cluster can't be used. `source` says where it is: the Secret and its key, for example. The message quotes no value of it.
 *
 * The cluster goes on with its former connection, if it had one.
 */
export class ClusterKubeconfigError extends Error {
  override readonly name = 'ClusterKubeconfigError'
  readonly code = 'CLUSTER_KUBECONFIG'
  /** `secret NAMESPACE/NAME, data.KEY`, or what the provider says. If it says nothing: `cluster NAME`. */
  readonly source: string

  constructor(source: string, why: string) {
    super(`${source}: ${why}`)
    this.source = source
  }
}

/**
 * The ClusterProfile of a cluster can't be used: it has no access provider that the operator knows, or a cluster that is refused. The message quotes no credentials.
 *
 * The cluster goes on with its former connection, if it had one.
 */
export class ClusterProfileError extends Error {
  override readonly name = 'ClusterProfileError'
  readonly code = 'CLUSTER_PROFILE'
  /** `NAMESPACE/NAME` */
  readonly profile: string

  constructor(profile: string, why: string) {
    super(`clusterprofile ${profile}: ${why}`)
    this.profile = profile
  }
}
