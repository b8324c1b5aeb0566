import type { ApplyFor } from '../apply.ts'

/** For `applyDesired` by itself: nothing is learned, and no repair waits. */
export const unnoted: Pick<ApplyFor, 'learned' | 'applies' | 'hold' | 'putOff' | 'tried' | 'again'> = {
  learned: () => new Map(),
  applies: () => {},
  hold: () => undefined,
  putOff: () => {},
  tried: () => {},
  again: () => {},
}
