import { compareResourceVersions } from '@wherry/client/internal'
import type { InformerState } from '../informer-state.ts'
import type { Reflector } from './reflector.ts'
import { isForTheCaller } from './transitions.ts'

/** What several reflectors of one scope are, taken as one. */
export type Told = Pick<Reflector, 'state' | 'lastSyncedResourceVersion' | 'lastError'>

/** From what is furthest from watching: one that has stopped will never have its part of the state. */
const byDistance: readonly InformerState[] = [
  'stopped',
  'missing',
  'waiting',
  'idle',
  'listing',
  'streaming',
  'relisting',
  'watching',
]

/** What they do is what the one of them does that is furthest from watching. */
export function jointState(all: readonly Told[]): InformerState {
  const states = all.map(({ state }) => state)
  return byDistance.find(state => states.includes(state)) ?? 'idle'
}

/** The oldest of theirs; `undefined` where one has none yet, or they can't be compared (rule R13). */
export function jointResourceVersion(all: readonly Told[]): string | undefined {
  const versions = all.map(({ lastSyncedResourceVersion }) => lastSyncedResourceVersion)
  return versions.reduce((oldest, one) => {
    const order = compareResourceVersions(one, oldest)
    return order === 'unknown' ? undefined : order === 'older' ? one : oldest
  })
}

/** The failure of the first of them that has one; one that is for the caller before all that will pass (rule R36). */
export function jointError(all: readonly Told[]): Error | undefined {
  const errors = all.map(({ lastError }) => lastError)
  return errors.find(isForTheCaller) ?? errors.find(error => error !== undefined)
}
