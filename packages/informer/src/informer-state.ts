/**
 * The state of a reflector, one for each phase:
 *
 * - `idle`: not started.
 * - `streaming`: it reads all objects through a watch that begins with them (rules R9–R12).
 * - `listing`: it reads all objects by a list, in one answer or in pages.
 * - `watching`: it has all objects, and receives changes.
 * - `relisting`: it lists again because the watch can't be resumed. The former objects stay readable.
 * - `waiting`: it waits before it tries again (rule R22). The former objects stay readable, and may be stale; `lastError` has the reason.
 * - `missing`: the server does not serve the resource, which is proved by more than a 404. The former objects are dropped.
 *   It waits until the resource is served, and tries at intervals (rules D7, D8).
 * - `stopped`: it has ended for good.
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
