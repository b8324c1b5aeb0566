import type { Cause } from './cause.ts'
import { KeyState } from './key-state.ts'

/** What a controller knows of its keys. */
export class KeyStates {
  readonly #states = new Map<string, KeyState>()

  get(key: string): KeyState | undefined {
    return this.#states.get(key)
  }

  obtain(key: string): KeyState {
    const found = this.#states.get(key)
    if (found !== undefined) return found
    const state = new KeyState()
    this.#states.set(key, state)
    return state
  }

  add(key: string, cause: Cause): void {
    this.obtain(key).add(cause)
  }

  /** There is no such object: nothing more is to be known of it, unless it is to run again. */
  gone(key: string): void {
    if (this.#states.get(key)?.pending === undefined) this.#states.delete(key)
  }

  /** The keys that wait until an object may be repaired again. */
  waiting(): [key: string, state: KeyState][] {
    return [...this.#states].filter(([, { waitsFor }]) => waitsFor !== undefined)
  }

  /** The keys that wait for their turn after a failure. */
  retrying(): [key: string, state: KeyState][] {
    return [...this.#states].filter(([, { isRetrying }]) => isRetrying)
  }
}
