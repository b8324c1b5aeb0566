import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Has KUBECONFIG name the API server under bench while `work` is under way: for subjects that read their server from it alone. */
export async function withKubeconfig<T>(server: ServerAddress, work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-bench-'))
  try {
    const path = join(folder, 'config')
    writeFileSync(path, kubeConfigFor(server).exportConfig())
    process.env.KUBECONFIG = path
    return await work()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
