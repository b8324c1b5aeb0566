import type { ReadTarget } from '@wherry/client/internal'
import type { InformerState } from '../informer-state.ts'
import type { Store } from '../store/store.ts'
import { jointError, jointResourceVersion, jointState } from './joint.ts'
import type { ReflectorOptions } from './options.ts'
import { Reflector } from './reflector.ts'

export interface ReflectorSetOptions extends Omit<ReflectorOptions, 'target' | 'on'> {
  readonly targets: readonly ReadTarget[]
  readonly on: {
    /** Called when the joint state changes. */
    state(state: InformerState): void
    /** Called when a reflector has failed to list or watch, and tries again. */
    error(error: Error): void
  }
}

/** The reflectors of one scope, one for each of its namespaces, with the interface of one reflector. */
export class ReflectorSet {
  readonly #all: readonly Reflector[]
  readonly #on: ReflectorSetOptions['on']
  #state: InformerState = 'idle'

  constructor({ targets, on, ...options }: ReflectorSetOptions) {
    this.#on = on
    const listeners = { state: () => this.#changed(), error: (error: Error) => on.error(error) }
    this.#all = targets.map(target => new Reflector({ ...options, target, on: listeners }))
  }

  get state(): InformerState {
    return this.#state
  }

  get lastSyncedResourceVersion(): string | undefined {
    return jointResourceVersion(this.#all)
  }

  get lastError(): Error | undefined {
    return jointError(this.#all)
  }

  /** Whether the resource of a reflector is gone, or never existed. */
  get isMissing(): boolean {
    return this.#all.some(({ isMissing }) => isMissing)
  }

  /** Makes each reflector feed the store by a writer of its own. Call it before the start. */
  feed(store: Store<unknown>): void {
    for (const reflector of this.#all) reflector.add(store.writer())
  }

  start(): void {
    for (const reflector of this.#all) reflector.start()
  }

  /** Makes reflectors that were refused retry early, for a new wait. Returns whether a reflector retries. */
  tryNow(isLasting = false): boolean {
    return this.#all.map(reflector => reflector.tryNow(isLasting)).includes(true)
  }

  /** Stops all reflectors: after the call, no writer is changed and no listener is called. Resolves when the streams have ended. */
  async stop(): Promise<void> {
    const all = this.#all.map(reflector => reflector.stop())
    this.#state = 'stopped'
    await Promise.all(all)
  }

  #changed(): void {
    const state = jointState(this.#all)
    if (state === this.#state) return
    this.#state = state
    this.#on.state(state)
  }
}
