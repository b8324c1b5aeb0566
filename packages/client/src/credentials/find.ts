import type { AccessOptions, ClusterAccess } from './access.ts'
import { inCluster, isInCluster } from './in-cluster.ts'
import { fromKubeconfigFile } from './kubeconfig-file.ts'

/**
 * The access that this process has by where it runs: that of the files in KUBECONFIG if it is set, else of the
 * pod's service account, else of `~/.kube/config`. Rejects with a `CredentialsError` where there is none.
 */
export function findAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  if (!process.env.KUBECONFIG && isInCluster()) return inCluster(options)
  return fromKubeconfigFile(undefined, options)
}
