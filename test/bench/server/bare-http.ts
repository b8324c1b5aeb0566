import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import type { ServerAddress } from '../harness/bench.ts'

/** A GET over plain http by `node:http` alone. Rejects when it is not 200. */
export function bareGet(
  { url, token }: ServerAddress,
  path: string,
  accept: string = 'application/json',
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept }
    const request = get(new URL(path, url), { headers, agent: false }, response => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`${path} answered ${response.statusCode}`))
    })
    request.once('error', reject)
  })
}
