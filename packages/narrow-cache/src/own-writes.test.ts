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
    writes.sawGone(undefined, undefined)
    writes.sawGone(undefined, version('first', '1'))
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
    writes.confirmed('another')
    expect(writes.behind(version('held', '6'), '6', '6')).toBe('unknown')
    writes.confirmed('held')
    expect(writes.behind(version('held', '6'), '6', '6')).toBe('no')
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
