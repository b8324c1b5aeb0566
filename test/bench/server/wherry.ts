import type { ClientOptions } from '@wherry/client'
import { Client } from '@wherry/client'
import type { ServerAddress } from '../harness/bench.ts'

/** Our client for the API server under bench. */
export function clientFor({ url, ca, token }: ServerAddress, options: Partial<ClientOptions> = {}): Client {
  const credentials = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    tls: () => ({ ca }),
    digest: () => '',
    refresh: () => Promise.resolve(false),
  }
  return new Client({ url, credentials, ...options })
}
