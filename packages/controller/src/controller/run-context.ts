import type { Client, KubernetesObject, ObjectKey, Scope, View } from '@wherry/client'
import type { EventRecorder } from '../events/event-recorder.ts'
import { type Logger, loggerWith } from '../logging/logger.ts'
import type { Read } from '../reads/read.ts'
import type { Run } from '../reads/run.ts'
import type { TrackedReads } from '../reads/tracked-reads.ts'
import { applyDesired } from './apply.ts'
import type { Apply, ContextEvents, ReconcileContext } from './context.ts'
import { parsedKey } from './key.ts'
import type { KeyState } from './key-state.ts'

/** What all runs of a controller have in common. */
export interface RunParts<C, S extends Scope> {
  readonly name: string
  readonly view: View<C, S>
  /** Whose writes are read back. */
  readonly client: Client
  readonly reads: TrackedReads
  readonly log: Logger
  events(): EventRecorder
  /** Who the primary object of a key is, whatever the view keeps of it. */
  identity(key: string): KubernetesObject
}

/**
 * One run of a key, and what its reconcile is given. What a reconcile does not ask for is not made: most runs of a large
 * controller find nothing to do.
 */
export class RunContext<C, S extends Scope> implements ReconcileContext<C, S> {
  /** `namespace/name` */
  readonly text: string
  readonly state: KeyState
  readonly attempt: number
  readonly #parts: RunParts<C, S>
  #object: C | undefined
  #aborted: unknown
  #controller: AbortController | undefined
  #run: Run | undefined
  #hasRead = false

  constructor(parts: RunParts<C, S>, text: string, state: KeyState, attempt: number) {
    this.#parts = parts
    this.text = text
    this.state = state
    this.attempt = attempt
  }

  get key(): ObjectKey<S> {
    return parsedKey(this.#parts.view.resource, this.text)
  }

  get object(): C {
    return this.#object as C
  }

  set object(object: C) {
    this.#object = object
  }

  get read(): Read {
    this.#hasRead = true
    return this.#begin().read
  }

  get client(): Client {
    return this.#parts.client
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted)
    }
    return this.#controller.signal
  }

  get log(): Logger {
    const { log, name, client } = this.#parts
    return loggerWith(log, { controller: name, key: this.text }, client.environment.onError)
  }

  get apply(): Apply {
    return (view, desired, options) => {
      const { client, view: primary } = this.#parts
      const about = {
        client,
        primary: primary as unknown as View,
        owner: this.#parts.identity(this.text),
        signal: this.signal,
        read: this.read,
        learned: () => {
          this.state.learned ??= new Map()
          return this.state.learned
        },
      }
      return applyDesired(about, view, desired, options)
    }
  }

  get events(): ContextEvents {
    const { view } = this.#parts
    return {
      record: event => this.#parts.events().record(view as unknown as View, this.#parts.identity(this.text), event),
      about: (of, object, event) => this.#parts.events().record(of, object, event),
    }
  }

  /** Asks the reconcile to end. */
  abort(reason: Error): void {
    this.#aborted ??= reason
    this.#controller?.abort(this.#aborted)
  }

  /** Why it was asked to end. */
  get aborted(): unknown {
    return this.#aborted
  }

  /** It has ended; its reads count from now on, or beside those before. */
  end(succeeded: boolean): void {
    const { state } = this
    // What it read before and does not now is let go of, also where it reads nothing at all.
    if (this.#run === undefined && !(succeeded && state.hasReads)) return
    const run = this.#begin()
    if (succeeded) run.succeed()
    else run.fail()
    state.hasReads = this.#hasRead || (state.hasReads && !succeeded)
  }

  #begin(): Run {
    if (this.#run === undefined) {
      const { namespace } = this.key as { readonly namespace?: string }
      this.#run = this.#parts.reads.begin(this.text, { namespace }, this.signal)
    }
    return this.#run
  }
}
