import type { KubeConfig } from '@kubernetes/client-node'
import { peerProblem } from '../errors/missing-peer.ts'
import { CredentialsError } from './error.ts'
import type { Kubeconfig } from './kubeconfig-document.ts'

type Library = typeof import('@kubernetes/client-node')

/**
 * Gives a kubeconfig to `@kubernetes/client-node`, which renews the tokens of legacy auth providers.
 * @throws CredentialsError with `KUBECONFIG_INVALID` if the library is not installed
 */
export async function byLibrary(config: Kubeconfig): Promise<KubeConfig> {
  const { KubeConfig } = await clientNode()
  const { clusters, users, contexts } = config
  const theirs = new KubeConfig()
  // The library reads the same fields. Copies, because it changes users when it renews a token.
  theirs.loadFromOptions({
    ...structuredClone({ clusters, users, contexts }),
    currentContext: config.getCurrentContext(),
  })
  return theirs
}

async function clientNode(): Promise<Library> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    const message = peerProblem('the auth provider of the kubeconfig needs', '@kubernetes/client-node', cause)
    throw new CredentialsError('KUBECONFIG_INVALID', message, cause)
  }
}
