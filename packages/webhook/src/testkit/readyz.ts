import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Operator } from '@wherry/controller'

/** What the health server of an operator answers about its webhooks: `ok`, or the failed checks. */
export function readyz(operator: Operator): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ port: operator.healthPort, path: '/readyz/webhooks', agent: false }, response => {
      resolve(text(response))
    })
    request.on('error', reject)
  })
}
