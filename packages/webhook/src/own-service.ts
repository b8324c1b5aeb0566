import type { Client } from '@wherry/client'
import { services } from '@wherry/client/resources/core'
import { ServiceMissingError } from './errors.ts'
import type { WebhookService } from './scope/configurations.ts'

/** The Service of the webhooks. If it does not exist, an API server can call no webhook, and refuses the requests for webhooks with `failurePolicy` `Fail`. */
export class OwnService {
  readonly #client: Client
  readonly #service: WebhookService
  #isSaid = false

  constructor(client: Client, service: WebhookService) {
    this.#client = client
    this.#service = service
  }

  /** Resolves with an error if the Service does not exist, and otherwise with `undefined`. Sends the error to `onError` once. Rejects if the request fails. */
  async missing(signal: AbortSignal): Promise<ServiceMissingError | undefined> {
    const { namespace, name } = this.#service
    if ((await this.#client.get(services, { namespace, name }, { signal })) !== undefined) {
      this.#isSaid = false
      return undefined
    }
    const error = new ServiceMissingError(`${namespace}/${name}`)
    if (!this.#isSaid) this.#client.environment.onError(error, { phase: 'webhook-service', key: error.service })
    this.#isSaid = true
    return error
  }
}
