import { KubeConfig } from '@kubernetes/client-node'
import type { ServerAddress } from '../harness/bench.ts'

/** client-node's configuration for the API server under bench. It takes plain http only where verification is off. */
export function kubeConfigFor({ url, ca, token }: ServerAddress): KubeConfig {
  const config = new KubeConfig()
  const verify = ca === undefined ? { skipTLSVerify: true } : { skipTLSVerify: false, caData: btoa(ca) }
  config.loadFromOptions({
    clusters: [{ name: 'bench', server: url, ...verify }],
    users: [{ name: 'bench', token }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  })
  return config
}
