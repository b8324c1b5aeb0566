import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, withReads } from './testkit/kit.ts'

describe('what a run has read', () => {
  it('C11: its key runs again when an object changes, goes or comes, and for nothing else', () =>
    withReads(async ({ reading, write, heard, causes }) => {
      await write('+a/x', '+a/y')
      expect(await reading('k', 'a/x', 'a/none')).toEqual(['1', undefined])
      await write('~a/x')
      expect(await heard()).toEqual(['k: ~a/x'])
      await write('~a/y', '+a/none', '-a/x', '-a/y', '-a/none')
      expect(await heard()).toEqual(['k: +a/none', 'k: -a/x', 'k: -a/none'])
      const [changed, appeared, vanished] = causes.map(([, cause]) => cause)
      expect(changed).toMatchObject({ view: configMaps.key, object: 'a/x', change: 'changed' })
      expect([typeof changed?.from, typeof changed?.to]).toEqual(['string', 'string'])
      expect([appeared?.from, vanished?.to]).toEqual([undefined, undefined])
      expect(vanished?.from).toBe(changed?.to)
    }))

  it('C11: what the last successful run did not read any more is let go of', () =>
    withReads(async ({ reading, write, heard, reads, narrow }) => {
      await reading('k', 'a/x', 'a/y')
      expect(reads.report()).toEqual({ keys: 1, dependencies: 2, objects: 2, polled: 0, selections: 0 })
      await reading('k', 'a/y')
      expect(reads.report()).toEqual({ keys: 1, dependencies: 1, objects: 1, polled: 0, selections: 0 })
      expect(narrow.report()).toMatchObject({ entries: 2, idle: 1, subscriptions: 1 })
      await write('+a/x', '+a/y')
      expect(await heard()).toEqual(['k: +a/y'])
      await reading('k')
      expect(reads.report()).toEqual({ keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 })
      expect(narrow.report()).toMatchObject({ entries: 2, idle: 2, subscriptions: 0 })
    }))
})
