import { ApiError } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import type { InformerState } from '../informer-state.ts'
import { jointError, jointResourceVersion, jointState, type ReflectorStatus } from './joint.ts'

const reported = (parts: Partial<ReflectorStatus>): ReflectorStatus => ({
  state: 'watching',
  lastSyncedResourceVersion: undefined,
  lastError: undefined,
  ...parts,
})

describe('several reflectors, taken as one', () => {
  it.each<[readonly InformerState[], InformerState]>([
    [['watching', 'watching'], 'watching'],
    [['watching', 'relisting'], 'relisting'],
    [['relisting', 'streaming'], 'streaming'],
    [['streaming', 'listing'], 'listing'],
    [['listing', 'idle'], 'idle'],
    [['idle', 'waiting'], 'waiting'],
    [['waiting', 'missing'], 'missing'],
    [['missing', 'stopped'], 'stopped'],
    [['stopped', 'watching'], 'stopped'],
    [[], 'idle'],
  ])('are as far as the last of them: %j is %s', (states, state) => {
    expect(jointState(states.map(one => reported({ state: one })))).toBe(state)
  })

  it.each<[readonly (string | undefined)[], string | undefined]>([
    [['7'], '7'],
    [['10', '9', '11'], '9'],
    [['9', '9'], '9'],
    [['9', undefined], undefined],
    [[undefined, '9', '10'], undefined],
    [['9', 'opaque'], undefined],
    [['opaque', '9', '10'], undefined],
  ])('R13: have come as far as the oldest, if the versions can be compared: %j is %s', (versions, version) => {
    const all = versions.map(lastSyncedResourceVersion => reported({ lastSyncedResourceVersion }))
    expect(jointResourceVersion(all)).toBe(version)
  })

  it('fail as the first of them that fails', () => {
    const [one, two] = [new Error('one'), new Error('two')]
    expect(jointError([reported({}), reported({ lastError: one }), reported({ lastError: two })])).toBe(one)
    expect(jointError([reported({})])).toBeUndefined()
  })

  it('R36: fail with the error that the caller can act on, if there is one', () => {
    const about = { method: 'GET', path: '/api/v1/namespaces/b/configmaps' }
    const [passing, forbidden] = [500, 403].map(status => new ApiError({ status, message: '' }, about))
    expect(jointError([reported({ lastError: passing }), reported({ lastError: forbidden })])).toBe(forbidden)
  })
})
