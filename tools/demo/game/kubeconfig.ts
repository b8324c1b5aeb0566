import { type ClusterAccess, fromKubeconfigFile } from '@wherry/client'
import type { Address } from './mode.ts'

/** What every operator of the demo can be given of a kubeconfig; throws an error that says what can't be played. */
export async function addressOf(kubeconfig: string): Promise<Address> {
  const access = await fromKubeconfigFile(kubeconfig)
  const wrong = refusals(access)
  if (wrong !== undefined) throw new Error(`${kubeconfig}: ${wrong}`)
  const { server, credentials, tlsServerName } = access
  try {
    const { authorization } = await credentials.headers()
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
    const { ca, cert, key } = await credentials.tls()
    return { url: server.href.replace(/\/$/, ''), ca, cert, key, token, tlsServerName }
  } finally {
    credentials.close?.()
  }
}

function refusals({ proxyUrl, skipTlsVerify, impersonate }: ClusterAccess): string | undefined {
  if (skipTlsVerify) return 'its cluster is not verified (insecure-skip-tls-verify), which the demo does not do'
  if (proxyUrl !== undefined) return 'its cluster is behind a proxy, where the demo can not count bytes'
  if (impersonate !== undefined) return 'its user acts as another one, which not all operators of the demo can'
  return undefined
}
