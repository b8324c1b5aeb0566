import type { Phase, Stopped } from './phase.ts'

/**
 * What a reflector is doing. A named state for each phase:
 *
 * - `idle`: not started.
 * - `streaming`: reads the state through a watch that begins with it (rules R9–R12).
 * - `listing`: reads the state by a list, whole or in pages.
 * - `watching`: has the state, and hears of changes.
 * - `relisting`: has a state, and reads it anew because the watch can't be resumed; the old one stays readable.
 * - `waiting`: waits before it tries again (rule R22). A state from before stays readable, and may be stale: `lastError` says why.
 * - `missing`: the server does not serve the resource, which more than a 404 has proved. Nothing is left of an earlier state.
 *   Waits to be told that it is served, or tries now and then (rules D7, D8).
 * - `stopped`: over, for good.
 */
export type InformerState =
  | 'idle'
  | 'streaming'
  | 'listing'
  | 'watching'
  | 'relisting'
  | 'waiting'
  | 'missing'
  | 'stopped'

/** What readers are told of a phase. `hasState`: an earlier one is in the stores, and stays readable. */
export function nameOf(phase: Exclude<Phase, Stopped>, hasState: boolean): InformerState {
  switch (phase.is) {
    case 'streaming':
    case 'listing':
      return hasState ? 'relisting' : phase.is
    case 'checking':
      return 'watching'
    case 'doubting':
      return 'waiting'
    default:
      return phase.is
  }
}
