import { configMaps } from '@wherry/client/resources/core'
import { simulatedCluster } from '@wherry/informer/testkit/served'
import { describe, expect, it, vi } from 'vitest'
import { Kind } from './kind.ts'
import { settingsOf } from './options.ts'
import { Shared } from './shared.ts'
import { type Fed, openSource, type Source } from './source.ts'

/** What a watch of `a/x` tells, as its reflector writes to it. */
async function withSource(test: (source: Source, told: unknown[], asked: unknown[]) => void): Promise<void> {
  const cluster = await simulatedCluster(1)
  const shared = new Shared(settingsOf({ client: cluster.client }))
  const told: unknown[] = []
  const asked: unknown[] = []
  let lists = 0
  const fed: Fed = {
    asked: () => ({ reached: [], era: 0, told: lists++ }),
    failed: (_, error) => told.push(['failed', error]),
    state: (_, { object, bytes, resourceVersion }, known, isBack) => {
      told.push(['state', object, bytes, resourceVersion])
      asked.push([known?.told, isBack])
    },
    change: (_, type, object, bytes) => told.push([type, object, bytes]),
    gone: () => told.push(['gone']),
    progress: () => told.push(['progress']),
  }
  const source = openSource(fed, new Kind(configMaps, shared).bucket('a'), 'x', 1)
  try {
    test(source, told, asked)
  } finally {
    shared.ending(source.reflector.stop())
    await shared.close()
    await cluster.close()
  }
}

const x = { metadata: { name: 'x', namespace: 'a' } }
const other = { metadata: { name: 'y', namespace: 'a' } }

describe('a watch of one object', () => {
  it('N1: tells the object of a list, or its absence, with the resourceVersion of the list', () =>
    withSource((source, told) => {
      expect(source.synced).toBe(false)
      source.replace().commit('1')
      expect(source.synced).toBe(true)
      const present = source.replace()
      present.put(x, 7)
      present.commit('2')
      expect(told).toEqual([
        ['state', undefined, 0, '1'],
        ['state', x, 7, '2'],
      ])
    }))

  it('N1: tells absence of what went while it was listed, and nothing of a list that is given up', () =>
    withSource((source, told) => {
      const gone = source.replace()
      gone.put(x, 7)
      gone.remove(x)
      gone.commit('1')
      source.replace().drop()
      expect(told).toEqual([['state', undefined, 0, '1']])
    }))

  it('N10: takes nothing of others from a server that does not know the field selector', () =>
    withSource((source, told) => {
      const list = source.replace()
      list.put(other, 5)
      list.put(x, 7)
      list.put(other, 5)
      list.remove(other)
      list.commit('1')
      source.change('ADDED', other, 5)
      source.change('MODIFIED', x, 6)
      expect(told).toEqual([
        ['state', x, 7, '1'],
        ['MODIFIED', x, 6],
      ])
    }))

  it('N5: tells how far it has come, and that the resource is gone', () =>
    withSource((source, told) => {
      source.progress()
      source.clear()
      expect(told).toEqual([['progress'], ['gone']])
    }))

  it('R5: tells what was known when its list was begun, where that is a most recent one, and once that the server counts anew', () =>
    withSource((source, _, asked) => {
      const { stats } = source.reflector
      const rollbacks = vi.spyOn(source.reflector, 'stats', 'get')
      const counts = [
        [0, 0],
        [0, 0],
        [0, 1],
        [1, 1],
      ]
      for (const [before, after] of counts) {
        rollbacks.mockReturnValue({ ...stats, rollbacks: before ?? 0 })
        const list = source.replace()
        rollbacks.mockReturnValue({ ...stats, rollbacks: after ?? 0 })
        list.commit('1')
      }
      expect(asked).toEqual([
        [0, false],
        [undefined, false],
        [2, true],
        [undefined, false],
      ])
    }))
})
