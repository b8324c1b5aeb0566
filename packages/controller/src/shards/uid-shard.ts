import { hostname } from 'node:os'
import type { Client, Scope, View, Within } from '@wherry/client'
import type { ControllerShard, Shard } from './controller-shard.ts'
import { ordinalOf, type UidSettings } from './options.ts'
import { noOtherCount } from './other-counts.ts'

/** This process as a shard of those that share the primary objects by a hash of their uids. */
export class UidShard implements Shard {
  readonly ring = undefined
  readonly name: string
  readonly election: Shard['election']
  readonly #settings: UidSettings
  readonly #index: number
  readonly #client: Client

  /** @throws OptionTypeError or OptionRangeError if the host's name is to have the index, and does not */
  constructor(settings: UidSettings, client: Client) {
    const { name, count, index = ordinalOf(hostname(), count), election } = settings
    this.name = `${index}-of-${count}`
    this.election = { ...election, name: `${name}-${index}` }
    this.#settings = settings
    this.#index = index
    this.#client = client
  }

  part(): ControllerShard {
    return new UidPart(this.name, { index: this.#index, of: this.#settings.count })
  }

  mayStart(signal: AbortSignal): Promise<void> {
    return noOtherCount(this.#settings, this.#client, signal)
  }
}

class UidPart implements ControllerShard {
  readonly ring = undefined
  readonly assigned = undefined
  readonly name: string
  readonly #shard: { readonly index: number; readonly of: number }

  constructor(name: string, shard: { readonly index: number; readonly of: number }) {
    this.name = name
    this.#shard = shard
  }

  primary<C, S extends Scope>(view: View<C, S>): View<C, S> {
    return view.within({ shard: this.#shard } as Within<S>)
  }

  /** The uid of an owned object says nothing of its owner: all of the view is watched. */
  narrow(view: View): View {
    return view
  }
}
