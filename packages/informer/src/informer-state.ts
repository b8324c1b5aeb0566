/**
 * What a reflector is doing. A named state for each phase:
 *
 * - `idle`: not started.
 * - `streaming`: reads the state through a watch that begins with it (rules R9–R12).
 * - `listing`: reads the state by a list, whole or in pages.
 * - `watching`: has the state, and receives changes.
 * - `relisting`: has a state, and reads it again because the watch can't be resumed; the old one stays readable.
 * - `waiting`: waits before it tries again (rule R22). A state from before stays readable, and may be stale: `lastError` says why.
 * - `missing`: the server does not serve the resource, which more than a 404 has proved. Nothing is left of an earlier state.
 *   Waits for the news that it is served, or tries now and then (rules D7, D8).
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
