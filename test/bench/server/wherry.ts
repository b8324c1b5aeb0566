import { Client } from '@wherry/client'
import type { ServerAddress } from '../harness/bench.ts'

/** Our client for the API server under bench. */
export function clientFor({ url, ca, token }: ServerAddress): Client {
  return new Client({ url, ca, token })
}
