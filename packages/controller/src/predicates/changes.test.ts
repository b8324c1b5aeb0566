import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at } from '../operator/testkit/games.ts'
import { type Changes, changesOf } from './changes.ts'

const paths = (old: unknown, object: unknown): readonly string[] =>
  changesOf({ type: 'update', key: 'a/b', old, object }).paths

describe('changesOf', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ spec: { replicas: 1, image: 'a' } }, { spec: { replicas: 2, image: 'a' } }, ['spec.replicas']],
    [{ a: { b: 1 } }, { a: { c: 1 } }, ['a.b', 'a.c']],
    [{ labels: { 'app.io/x': '1' } }, { labels: {} }, ['labels["app.io/x"]']],
    [{ list: [{ a: 1 }, { a: 2 }] }, { list: [{ a: 1 }, { a: 3 }] }, ['list[1].a']],
    [{ list: [1] }, { list: [1, 2] }, ['list']],
    [{ a: { b: 1 } }, { a: null }, ['a']],
    [{ a: 1 }, {}, ['a']],
    [
      { metadata: { resourceVersion: '1', generation: 1, managedFields: [], name: 'x' } },
      { metadata: { resourceVersion: '2', generation: 2, managedFields: [{}], name: 'x' } },
      [],
    ],
  ])('names what differs between %o and %o', (old, now, expected) => {
    expect(paths(old, now)).toEqual(expected)
  })

  it('names a hundred paths at most, and nothing of an add', () => {
    const many = (value: number) => Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, value]))
    expect(paths(many(1), many(2))).toHaveLength(100)
    expect(changesOf({ type: 'add', key: 'a', object: {}, isInInitialList: false })).toEqual({
      paths: [],
      managers: [],
    })
  })

  it('gives a predicate the fields that changed, and their writers', () =>
    inArcade(async ({ client, forGames, start, after }) => {
      const seen: Changes[] = []
      const view = configMaps.full().within({ labels: { role: 'rules' } })
      forGames()
        .watches(view, () => undefined)
        .withPredicates(event => {
          if (event.type === 'update') seen.push(changesOf(event))
          return true
        })
        .reconcile(() => {})
      await client.create(configMaps, { metadata: { ...at('rules'), labels: { role: 'rules' } }, data: { a: '1' } })
      await start()
      const desired = { metadata: at('rules'), data: { b: '2' } }
      await after(client.apply(configMaps, desired, { fieldManager: 'somebody' }))
      expect(seen).toEqual([{ paths: ['data.b'], managers: ['somebody'] }])
    }))
})
