import type { ApplyFor } from '../apply.ts'

/** For `applyDesired` by itself: nothing is learned, and no repair waits. */
export const unnoted: Pick<ApplyFor, 'learned' | 'applies' | 'key' | 'repairs'> = {
  learned: () => new Map(),
  applies: () => {},
  key: 'default/chess',
  repairs: {
    hold: () => undefined,
    putOff: () => {},
    wrote: () => {},
    tried: () => {},
    refused: () => {},
    allowed: () => {},
    found: () => {},
    left: () => {},
    again: () => {},
  },
}
