import { compareResourceVersions } from '@wherry/client/internal'
import type { InformerState } from '../informer-state.ts'
import type { Reflector } from './reflector.ts'
import { isPermanent } from './transitions.ts'

/** The part of a reflector that is needed to describe several reflectors of one scope as one. */
export type ReflectorStatus = Pick<Reflector, 'state' | 'lastSyncedResourceVersion' | 'lastError'>

/** The states, the furthest from `watching` first. `stopped` is the furthest: a stopped reflector will never have its part of the objects. */
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

/** The state of several reflectors: that of the reflector furthest from `watching`. */
export function jointState(all: readonly ReflectorStatus[]): InformerState {
  const states = all.map(({ state }) => state)
  return byDistance.find(state => states.includes(state)) ?? 'idle'
}

/** The oldest resourceVersion of several reflectors; `undefined` if a reflector has none yet, or they can't be compared (rule R13). */
export function jointResourceVersion(all: readonly ReflectorStatus[]): string | undefined {
  const versions = all.map(({ lastSyncedResourceVersion }) => lastSyncedResourceVersion)
  return versions.reduce((oldest, one) => {
    const order = compareResourceVersions(one, oldest)
    return order === 'unknown' ? undefined : order === 'older' ? one : oldest
  })
}

/** The failure of the first reflector that has one. Failures that the caller has to mend come before those that pass by themselves (rule R36). */
export function jointError(all: readonly ReflectorStatus[]): Error | undefined {
  const errors = all.map(({ lastError }) => lastError)
  return errors.find(isPermanent) ?? errors.find(error => error !== undefined)
}
