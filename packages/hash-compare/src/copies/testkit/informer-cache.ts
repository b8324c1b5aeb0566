import type { Client, Scope, View } from '@wherry/client'
import { Informer } from '@wherry/informer'
import type { CopyCache, CopyHold, CopyInformer } from '../copy-cache.ts'

/** The least that is a cache: an informer for each view that is held. */
export class InformerCache implements CopyCache {
  readonly #client: Client
  readonly #held = new Map<string, { readonly informer: Informer<unknown>; holds: number }>()

  constructor(client: Client) {
    this.#client = client
  }

  get views(): string[] {
    return [...this.#held.keys()]
  }

  hold<C, S extends Scope>(view: View<C, S>): CopyHold<C> {
    let held = this.#held.get(view.key)
    if (held === undefined) {
      held = { informer: new Informer({ client: this.#client, view: view as View }), holds: 0 }
      this.#held.set(view.key, held)
      held.informer.start()
    }
    const { informer } = held
    held.holds += 1
    return {
      informer: informer as unknown as CopyInformer<C>,
      release: async () => {
        const now = this.#held.get(view.key)
        if (now === undefined || --now.holds > 0) return
        this.#held.delete(view.key)
        await informer.close()
      },
    }
  }
}
