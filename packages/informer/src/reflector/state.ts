import type { InformerState } from '../informer-state.ts'
import type { Phase, Stopped } from './phase.ts'

/** The state of a phase, for readers. `hasState`: the stores have earlier objects, which stay readable. */
export function nameOf(phase: Exclude<Phase, Stopped>, hasState: boolean): InformerState {
  switch (phase.is) {
    case 'streaming':
    case 'listing':
      return hasState ? 'relisting' : phase.is
    case 'checking':
      return 'watching'
    case 'verifying':
      return 'waiting'
    default:
      return phase.is
  }
}
