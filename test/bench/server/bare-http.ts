import type { IncomingMessage } from 'node:http'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { ServerAddress } from '../harness/bench.ts'

/** A GET by `node:http` or `node:https` alone. Rejects when it is not 200. */
export function bareGet(
  { url, ca, token }: ServerAddress,
  path: string,
  accept: string = 'application/json',
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept }
    const get = url.startsWith('https:') ? httpsGet : httpGet
    const request = get(new URL(path, url), { headers, ca, agent: false }, response => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`${path} answered ${response.statusCode}`))
    })
    request.once('error', reject)
  })
}
