import type { KubernetesObject } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { OwnWrites } from './own-writes.ts'

const version = (uid: string, resourceVersion: string) => ({ uid, resourceVersion })
const object = (uid: string, resourceVersion: string, more: object = {}): KubernetesObject => ({
  metadata: { name: 'x', ...version(uid, resourceVersion), ...more },
})

describe('what this process wrote', () => {
  it('N9: is waited for until the state, or its watch, has come as far', () => {
    const writes = new OwnWrites()
    const held = version('u', '5')
    expect(writes.behind(held, '5', '5')).toBe('no')
    writes.saw(object('u', '7'), held, true)
    expect(writes.behind(held, '5', '6')).toBe('yes')
    expect(writes.behind(held, '5', undefined)).toBe('yes')
    expect(writes.behind(held, '5', '7')).toBe('no')
    writes.saw(object('u', '9'), held, true)
    expect(writes.behind(version('u', '10'), '10', '6')).toBe('no')
    expect(writes.behind(held, '5', '6')).toBe('no')
  })

  it('N9: has to be asked for where no event may come of it, or versions can’t be compared', () => {
    const held = version('u', '5')
    const uncertain = new OwnWrites()
    uncertain.saw(object('u', '7'), held, false)
    expect(uncertain.behind(held, '5', '6')).toBe('unknown')
    const incomparable = new OwnWrites()
    incomparable.saw(object('u', 'seven'), held, true)
    expect(incomparable.behind(held, '5', '6')).toBe('unknown')
    expect(incomparable.behind(version('u', 'seven'), 'seven', '6')).toBe('no')
  })

  it('N9: an earlier answer that is told of later counts for nothing, nor does one that changed nothing', () => {
    const writes = new OwnWrites()
    const held = version('u', '5')
    writes.saw(object('u', '5'), held, true)
    expect(writes.behind(held, '5', '4')).toBe('no')
    writes.saw(object('u', '9'), held, true)
    writes.saw(object('u', '7'), held, true)
    expect(writes.behind(version('u', '7'), '7', '7')).toBe('yes')
  })

  it('N9: an answer that is being deleted is a delete where nothing holds it back', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const held = version('u', '5')
    const after = (more: object): string => {
      const writes = new OwnWrites()
      writes.saw(object('u', '7', { deletionTimestamp, ...more }), held, true)
      return writes.behind(version('u', '7'), '7', '7')
    }
    expect(after({})).toBe('yes')
    expect(after({ finalizers: [], deletionGracePeriodSeconds: 0 })).toBe('yes')
    expect(after({ finalizers: ['example.com/x'] })).toBe('no')
    expect(after({ deletionGracePeriodSeconds: 30 })).toBe('no')
  })

  it('N9: a namespace that is being deleted is held back by the finalizers of its spec, and nothing else is by those', () => {
    const held = version('u', '5')
    const after = (apiVersion: string, kind: string, spec: object | undefined): string => {
      const writes = new OwnWrites()
      const metadata = { name: 'x', ...version('u', '7'), deletionTimestamp: '2026-01-01T00:00:00Z' }
      writes.saw({ apiVersion, kind, metadata, spec } as KubernetesObject, held, true)
      return writes.behind(version('u', '7'), '7', '7')
    }
    expect(after('v1', 'Namespace', { finalizers: ['kubernetes'] })).toBe('no')
    for (const spec of [{ finalizers: [] }, {}, undefined]) expect(after('v1', 'Namespace', spec)).toBe('yes')
    expect(after('v1', 'ConfigMap', { finalizers: ['kubernetes'] })).toBe('yes')
    expect(after('example.com/v1', 'Namespace', { finalizers: ['kubernetes'] })).toBe('yes')
  })
})

describe('what this process deleted', () => {
  it('N9: is waited for until it is gone, each that comes later too', () => {
    const writes = new OwnWrites()
    writes.sawGone('first', version('first', '1'))
    writes.sawGone('second', version('first', '1'))
    expect(writes.behind(version('first', '1'), '1', '1')).toBe('yes')
    expect(writes.behind(undefined, '2', '2')).toBe('no')
    expect(writes.behind(version('second', '3'), '3', '3')).toBe('yes')
    expect(writes.behind(version('third', '4'), '4', '4')).toBe('no')
  })

  it('N9: what was written out of the selectors is past as it was before, and not as it will be', () => {
    const writes = new OwnWrites()
    expect(writes.isPast(version('u', '5'))).toBe(false)
    writes.sawUnselected(version('u', '7'))
    expect(writes.isPast(version('u', '5'))).toBe(true)
    expect(['7', '9', 'nine'].map(one => writes.isPast(version('u', one)))).toEqual([false, false, false])
    expect(writes.isPast(version('another', '5'))).toBe(false)
    expect(writes.isPast({ uid: undefined, resourceVersion: '5' })).toBe(false)
    expect(writes.behind(undefined, '5', '5')).toBe('no')
  })

  it('N9: while another one is held, only the server knows which of them came later', () => {
    const writes = new OwnWrites()
    writes.sawGone('other', version('held', '5'))
    expect(writes.behind(version('held', '6'), '6', '6')).toBe('unknown')
    writes.settled(0, 'held')
    expect(writes.behind(version('held', '6'), '6', '6')).toBe('unknown')
    writes.settled(1, 'held')
    expect(writes.behind(version('held', '6'), '6', '6')).toBe('no')
  })

  it('N9: where it is not known which one that was, only the server knows whether what is kept is of before', () => {
    for (const held of [undefined, version('held', '5')]) {
      const writes = new OwnWrites()
      writes.sawGone(undefined, held)
      expect(writes.behind(held, '6', '6')).toBe('unknown')
      writes.settled(1, undefined)
      expect(writes.behind(held, '6', '6')).toBe('no')
    }
  })

  it('N9: is remembered for the last 100 that were not seen to go', () => {
    const writes = new OwnWrites()
    for (let i = 0; i < 101; i++) writes.sawGone(`u${i}`, undefined)
    expect(writes.behind(version('u0', '1'), '1', '1')).toBe('no')
    for (const uid of ['u100', 'u99', 'u98']) expect(writes.behind(version(uid, '1'), '1', '1')).toBe('yes')
    // Two have gone since: there is room for two more.
    for (const uid of ['u101', 'u102']) writes.sawGone(uid, undefined)
    expect(writes.behind(version('u1', '1'), '1', '1')).toBe('yes')
  })
})

describe('what the server has answered', () => {
  const held = version('held', '5')

  it('N9: settles all that was told before it was asked, and nothing that was told since then', () => {
    const told: readonly ((writes: OwnWrites) => void)[] = [
      writes => writes.saw(object('held', '7'), held, true),
      writes => writes.sawGone('held', held),
      writes => writes.sawGone('other', held),
      writes => writes.sawGone(undefined, held),
      writes => writes.sawAbsent(),
      writes => writes.sawUnsure(),
    ]
    for (const tell of told) {
      const writes = new OwnWrites()
      const asked = writes.told
      tell(writes)
      writes.settled(asked, 'held')
      expect(writes.behind(held, '5', '5')).not.toBe('no')
      writes.settled(writes.told, 'held')
      expect(writes.behind(held, '5', '5')).toBe('no')
    }
  })

  it('N9: is not settled by one that has another object, where it is known to be gone', () => {
    const writes = new OwnWrites()
    writes.sawGone('held', held)
    writes.settled(1, 'another')
    writes.settled(1, undefined)
    expect(writes.behind(held, '5', '5')).toBe('yes')
  })

  it('N9: an absence of which it is not known when that was makes doubtful what is there, not what is absent', () => {
    const writes = new OwnWrites()
    writes.sawAbsent()
    expect(writes.behind(held, '5', '5')).toBe('unknown')
    expect(writes.behind(undefined, '5', '5')).toBe('no')
  })

  it('N9: what was passed without a word when it was told may have been changed since, or be of another count', () => {
    for (const heard of [
      ['8', undefined],
      ['6', '8'],
    ]) {
      const writes = new OwnWrites()
      writes.saw(object('held', '7'), held, true, heard)
      expect(writes.behind(held, '8', '8')).toBe('unknown')
    }
    const writes = new OwnWrites()
    writes.saw(object('held', '7'), version('held', '7'), true, ['9', '9'])
    writes.saw(object('held', '7'), held, true, ['7', undefined])
    expect(writes.behind(version('held', '7'), '7', '7')).toBe('no')
  })
})

describe('a server that counts anew', () => {
  const held = version('held', '5')

  it('N9, R5: is not measured by what was told before it was asked', () => {
    const writes = new OwnWrites()
    writes.saw(object('held', '7'), held, true)
    writes.sawGone('held', held)
    writes.sawAbsent()
    writes.sawUnselected(version('later', '9'))
    const asked = writes.told
    writes.wentBack()
    expect(writes.behind(held, '3', '3')).toBe('unknown')
    writes.settled(asked, 'held')
    expect(writes.behind(held, '3', '3')).toBe('no')
    expect(writes.isPast(version('held', '3'))).toBe(false)
    expect(writes.isPast(version('later', '3'))).toBe(false)
  })

  it('N9, R5: has to be asked about all that was told since then, whatever its number', () => {
    const writes = new OwnWrites()
    writes.sawGone(undefined, held)
    const asked = writes.told
    writes.saw(object('held', '2'), held, true)
    writes.wentBack()
    expect(writes.isUnsure).toBe(true)
    writes.settled(asked, 'held')
    expect(writes.behind(held, '3', '3')).toBe('unknown')
    writes.settled(writes.told, 'held')
    expect(writes.behind(held, '3', '3')).toBe('no')
  })
})
