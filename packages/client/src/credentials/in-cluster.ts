import { isIPv6 } from 'node:net'
import { systemClock } from '../clock.ts'
import { checkOptions, text } from '../errors/check.ts'
import { type AccessOptions, accessChecks, type ClusterAccess, serverUrl } from './access.ts'
import { CredentialsError } from './error.ts'
import { GivenCredentials } from './given.ts'
import { readSource } from './source.ts'

/** Options of {@link inCluster}. */
export interface InClusterOptions extends AccessOptions {
  /** The directory of the service account's files. @default '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly directory?: string | undefined
}

/** Whether this process seems to run in a pod, judged by its environment variables. */
export function isInCluster(): boolean {
  const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env
  return Boolean(KUBERNETES_SERVICE_HOST) && Boolean(KUBERNETES_SERVICE_PORT)
}

/**
 * Returns the access of the pod's service account. The token and the cluster's certificate authority are read again when the kubelet renews them. Rejects
 * with `NOT_IN_CLUSTER` outside a pod, and if the files of the service account can't be read.
 *
 * @example
 * ```ts
 * import { Client, inCluster } from '@wherry/client'
 *
 * const client = new Client({ access: await inCluster() })
 * console.log(client.namespace) // the namespace of the pod
 * ```
 */
export async function inCluster(options: InClusterOptions = {}): Promise<ClusterAccess> {
  checkOptions('access', options, { ...accessChecks, directory: text })
  const { directory = '/var/run/secrets/kubernetes.io/serviceaccount', clock = systemClock() } = options
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  if (!host || !port) {
    const message =
      'this process does not run in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set'
    throw new CredentialsError('NOT_IN_CLUSTER', message)
  }
  const credentials = new GivenCredentials(
    { token: { file: `${directory}/token` }, ca: { file: `${directory}/ca.crt` } },
    clock,
  )
  try {
    // Fails now, with a reason, if the token or the authority can't be read; otherwise the first request would fail.
    await credentials.tls()
  } catch (cause) {
    throw new CredentialsError('NOT_IN_CLUSTER', `the service account's files in ${directory} can't be read`, cause)
  }
  // A pod's namespace is optional: a view or a call may name its own.
  const namespace = await readSource({ file: `${directory}/namespace` }).catch(() => undefined)
  const urlHost = isIPv6(host) ? `[${host}]` : host
  return {
    server: serverUrl('KUBERNETES_SERVICE_HOST', `https://${urlHost}:${port}`),
    credentials,
    namespace: namespace?.trim(),
  }
}
