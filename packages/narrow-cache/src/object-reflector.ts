import type { ChangeType } from '@wherry/client'
import { type Intake, Reflector, type Replacement } from '@wherry/informer'
import type { Asked, EntryScope } from './entry-scope.ts'
import type { Known } from './register.ts'
import { nameOf, type Version } from './register.ts'

/** How long a watch is asked to last: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }

/** What an object's reflector tells. */
export interface ObjectListener {
  readonly register: { readonly held: Version | undefined }
  /** A list is about to be asked for. */
  asked(): Asked
  failed(source: ObjectReflector, error: Error): void
  /** @param asked what was known when a newest state was asked for @param isBack the server counts anew */
  listed(source: ObjectReflector, known: Known, asked: Asked | undefined, isBack: boolean): void
  changed(source: ObjectReflector, type: ChangeType, object: object, bytes: number): void
  cleared(source: ObjectReflector): void
  news(): void
}

/** The list and watch of one object, by its name. */
export class ObjectReflector implements Intake {
  synced = false
  readonly reflector: Reflector
  readonly #listener: ObjectListener
  readonly #name: string

  constructor(listener: ObjectListener, scope: EntryScope, name: string, level: 0 | 1 | 2) {
    const { shared, environment } = scope
    this.#listener = listener
    this.#name = name
    this.reflector = new Reflector({
      client: { context: shared.context, environment },
      target: scope.target(level, name),
      firstList: 'newest',
      streaming: shared.streaming,
      gate: shared.gate,
      timeoutSeconds,
      maxObjectBytes: shared.settings.maxObjectBytes,
      // What it was refused for before counts until a watch is accepted.
      on: { watching: () => listener.news(), error: error => listener.failed(this, error) },
    })
    this.reflector.add(this)
  }

  replace(): Replacement {
    const asked = this.#listener.asked()
    const { rollbacks } = this.reflector.stats
    let object: object | undefined
    let bytes = 0
    return {
      put: (received, length) => {
        // From a server that does not know the selector.
        if (nameOf(received) !== this.#name) return
        object = received
        bytes = length
      },
      remove: removed => {
        if (nameOf(removed) === this.#name) object = undefined
      },
      commit: resourceVersion => {
        const isBack = this.reflector.stats.rollbacks > rollbacks
        const isNewest = isBack || !this.synced
        this.synced = true
        this.#listener.listed(this, { object, bytes, resourceVersion }, isNewest ? asked : undefined, isBack)
      },
      drop() {},
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (nameOf(object) === this.#name) this.#listener.changed(this, type, object, bytes)
  }

  progress(): void {
    this.#listener.news()
  }

  clear(): void {
    this.#listener.cleared(this)
  }

  close(): void {}
}
