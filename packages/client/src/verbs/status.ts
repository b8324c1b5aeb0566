import { asKey, type DeepPartial, type FromServer, type FullObject, type KeyOf, type Scope } from '../views/object.ts'
import type { View } from '../views/resource.ts'
import type { Caller } from './caller.ts'
import type { ApplyOptions, PatchOptions, WriteOptions } from './options.ts'
import { apply, type Patch, patch, update } from './write.ts'

/** Writes the `status` subresource. The server ignores the other fields of such a write, for most resources also labels. */
export class StatusVerbs {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Replaces the status. A `metadata.resourceVersion` makes another writer's change a conflict. */
  async update<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<DeepPartial<NoInfer<T>>>,
    options: WriteOptions = {},
  ): Promise<FromServer<T>> {
    return update(this.#caller, view, object, options, 'status') as Promise<never>
  }

  /** Changes the status by a merge, JSON or strategic patch of the whole object: `{ status: { … } }`. */
  async patch<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    change: Patch,
    options: PatchOptions = {},
  ): Promise<FromServer<C>> {
    return patch(this.#caller, view, asKey(key), change, options, 'status') as Promise<never>
  }

  /** Applies the status fields given (server-side apply). */
  async apply<T extends object, S extends Scope>(
    view: View<T, S>,
    object: FullObject<DeepPartial<NoInfer<T>>>,
    options: ApplyOptions = {},
  ): Promise<FromServer<T>> {
    return apply(this.#caller, view, object, options, 'status') as Promise<never>
  }
}
