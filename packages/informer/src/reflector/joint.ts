import { compareResourceVersions } from '@wherry/client/internal'
import type { InformerState } from '../informer-state.ts'
import type { Reflector } from './reflector.ts'
import { isPermanent } from './transitions.ts'

/** The part of a reflector from which several of one scope are described as one. */
export type ReflectorStatus = Pick<Reflector, 'state' | 'lastSyncedResourceVersion' | 'lastError'>

/** From the state furthest from watching: a reflector that has stopped will never have its part of the objects. */
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
export function jointState(all: readonly ReflectorStatus[]): InformerState {
  const states = all.map(({ state }) => state)
  return byDistance.find(state => states.includes(state)) ?? 'idle'
}

/** The oldest of theirs; `undefined` where one has none yet, or they can't be compared (rule R13). */
export function jointResourceVersion(all: readonly ReflectorStatus[]): string | undefined {
  const versions = all.map(({ lastSyncedResourceVersion }) => lastSyncedResourceVersion)
  return versions.reduce((oldest, one) => {
    const order = compareResourceVersions(one, oldest)
    return order === 'unknown' ? undefined : order === 'older' ? one : oldest
  })
}

/** The failure of the first of them that has one; one that is for the caller before all that will pass (rule R36). */
export function jointError(all: readonly ReflectorStatus[]): Error | undefined {
  const errors = all.map(({ lastError }) => lastError)
  return errors.find(isPermanent) ?? errors.find(error => error !== undefined)
}
