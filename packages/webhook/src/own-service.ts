import type { Client } from '@wherry/client'
import { services } from '@wherry/client/resources/core'
import { ServiceMissingError } from './errors.ts'
import type { WebhookService } from './scope/configurations.ts'

/** The Service that leads to the webhooks. If it does not exist, an API server that is to call it refuses all that it has to ask about. */
export class OwnService {
  readonly #client: Client
  readonly #service: WebhookService
  #isSaid = false

  constructor(client: Client, service: WebhookService) {
    this.#client = client
    this.#service = service
  }

  /** Why nothing may name the Service yet; `undefined` if it exists. `onError` gets that once. Rejects if the server can't be asked. */
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
