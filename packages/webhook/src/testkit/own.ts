import { Client } from '@wherry/client'
import { Operator } from '@wherry/controller'
import type { ApiServer } from '@wherry/testing'
import type { CertificateOptions } from '../certificates/options.ts'
import type { WebhooksOptions } from '../options.ts'
import { Webhooks } from '../webhooks.ts'

/** A replica of an operator that makes its own certificates, and what it said. */
export interface Replica {
  readonly webhooks: Webhooks
  readonly operator: Operator
  readonly client: Client
  readonly errors: Error[]
  readonly warnings: string[]
  /** Each line of its log: the level, the message and the fields. */
  readonly log: string[]
  run(): void
  close(): Promise<void>
}

/** A replica of the operator `arcade`, with the token of the server or another. */
export function replica(
  { url, ca, token }: Pick<ApiServer, 'url' | 'ca' | 'token'>,
  certificates: CertificateOptions = {},
  options: Partial<WebhooksOptions> = {},
): Replica {
  const errors: Error[] = []
  const warnings: string[] = []
  const log: string[] = []
  const client = new Client({
    ...{ url, ca, token },
    environment: {
      onError: (error, context) => {
        errors.push(error)
        log.push(`error ${error.message} ${JSON.stringify(context)}`)
      },
      onWarning: (message, context) => {
        warnings.push(message)
        log.push(`warn ${message} ${JSON.stringify(context)}`)
      },
      log: (level, message, fields) => void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
    },
  })
  const operator = new Operator({ name: 'arcade', client, health: {} })
  const webhooks = new Webhooks(operator, {
    ...{ service: { namespace: 'default', name: 'arcade' }, groups: ['arcade.example.com'], certificates },
    ...{ address: '127.0.0.1', host: '127.0.0.1', port: 0, ...options },
  })
  let running: Promise<unknown> = Promise.resolve()
  return {
    ...{ webhooks, operator, client, errors, warnings, log },
    run: () => {
      running = operator.run({ signals: false }).catch(error => void errors.push(error))
    },
    close: async () => {
      await operator.close()
      await running
      await client.close()
    },
  }
}
