import type { Client } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { type Filling, nameOfOther } from './objects.ts'

const PER_SECOND = 10

/** Changes objects that no game needs, ten a second, a ConfigMap and a Secret by turns. */
export class Noise {
  readonly #client: Client
  readonly #filling: Filling
  #timer: NodeJS.Timeout | undefined
  #made = 0
  #underWay: Promise<unknown> | undefined
  #failure: Error | undefined

  constructor(client: Client, filling: Filling) {
    this.#client = client
    this.#filling = filling
  }

  /** Changes made so far. */
  get made(): number {
    return this.#made
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#change(), 1000 / PER_SECOND)
  }

  /** Resolves when the server has answered the last one. Rejects when one failed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#underWay
    if (this.#failure !== undefined) throw this.#failure
  }

  #change(): void {
    // One at a time: a server that is slower has fewer of them.
    if (this.#underWay !== undefined || this.#filling.objects < 2) return
    const kind = this.#made % 2 === 0 ? 'ConfigMap' : 'Secret'
    const index = 1 + (Math.floor(this.#made / 2) % (this.#filling.objects - 1))
    const key = { namespace: this.#filling.namespace, name: nameOfOther(kind, index) }
    // Another value than any before: a write that changes nothing is no change.
    const data = { turn: btoa(`${Date.now()} ${this.#made}`) }
    const change =
      kind === 'ConfigMap' ? this.#client.patch(configMaps, key, { data }) : this.#client.patch(secrets, key, { data })
    this.#underWay = change
      .then(
        () => {
          this.#made += 1
        },
        (error: unknown) => {
          this.#failure ??= error as Error
        },
      )
      .finally(() => {
        this.#underWay = undefined
      })
  }
}
