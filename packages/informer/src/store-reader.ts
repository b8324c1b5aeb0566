import type { KeyOf, Scope, View } from '@wherry/client'
import type { Change } from './change.ts'
import { changesOf } from './journal/changes-of.ts'
import type { Cursor } from './journal/cursor.ts'
import type { Lister, ListerOptions, ObjectVersion } from './lister.ts'
import type { Handler, Registration, RegistrationOptions } from './registrations/handler.ts'
import type { IndexFunction } from './store/indices.ts'
import type { Store, StoreStats } from './store/store.ts'

/** The common part of all informers: they read and follow one store until it is closed. */
export abstract class StoreReader<C, S extends Scope = Scope> implements Lister<C, S> {
  abstract readonly view: View<C, S>

  /** The store. Throws the reason if it is closed. */
  protected abstract live(): Store<C, S>

  get(key: KeyOf<S> | string): C | undefined {
    return this.live().get(key)
  }

  list(options?: ListerOptions): C[] {
    return this.live().list(options)
  }

  keys(): IterableIterator<string> {
    return this.live().keys()
  }

  get size(): number {
    return this.live().size
  }

  failed(): readonly string[] {
    return this.live().failed()
  }

  version(key: KeyOf<S> | string): ObjectVersion | undefined {
    return this.live().version(key)
  }

  addHandler(handler: Handler<C>, options?: RegistrationOptions): Registration {
    return this.live().register(handler, options)
  }

  addIndex(name: string, index: IndexFunction<C>): void {
    this.live().addIndex(name, index)
  }

  cursor(): Cursor<C> {
    return this.live().cursor()
  }

  changes(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterableIterator<Change<C>> {
    const cursor = this.cursor()
    try {
      return changesOf(cursor, options)
    } catch (error) {
      cursor.close()
      throw error
    }
  }

  stats(): StoreStats {
    return this.live().stats()
  }
}
