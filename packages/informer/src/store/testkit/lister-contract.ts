import { InvalidNameError, LabelSelector, OptionRangeError } from '@wherry/client'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LabelsNotKeptError } from '../../errors.ts'
import { byLabel } from '../by-label.ts'
import type { Store } from '../store.ts'
import type { StoreWriter } from '../store-writer.ts'
import {
  type Bed,
  bed,
  type Item,
  type ItemParts,
  item,
  items,
  type MakeOptions,
  type MakeStore,
  shown,
} from './objects.ts'

/** What reading any store gives (rules R35, R37, X1, X5). */
export function listerContract(make: MakeStore): void {
  let at: Bed
  let store: Store<Item, 'namespaced'>
  let writer: StoreWriter

  const begin = (options: Partial<MakeOptions> = {}): void => {
    at = bed()
    store = make({ environment: at.environment, ...options })
    writer = store.writer()
  }
  const add = (key: string, version: number, parts: ItemParts = {}): void =>
    writer.change('ADDED', item(key, version, parts), 100)
  const listed = (options: Parameters<typeof store.list>[0]): string[] => store.list(options).map(shown).sort()

  beforeEach(() => begin())

  describe('the lister', () => {
    it('gets one by its key or its text, and nothing where nothing is', () => {
      add('a/x', 1)
      expect(shown(store.get('a/x'))).toBe('a/x@1')
      expect(store.get({ namespace: 'a', name: 'x' })).toBe(store.get('a/x'))
      expect([store.get('a/y'), store.version({ namespace: 'a', name: 'y' })]).toEqual([undefined, undefined])
    })

    it('X1: refuses what can be no key', () => {
      for (const key of ['', 'x', '/x', 'a/', 'a/x/y', 'a/..', { name: 'x' }, { namespace: 'a', name: '' }, 5, null]) {
        expect(() => store.get(key as string), JSON.stringify(key)).toThrow(InvalidNameError)
      }
      expect(() => store.list({ namespace: 'a/b' })).toThrow(InvalidNameError)
    })

    it('lists by namespace, labels and index, and all must hold', () => {
      store.addIndex('value', object => [object.data?.value ?? ''])
      add('a/x', 1, { labels: { app: 'web', tier: 'front' }, value: 'one' })
      add('a/y', 2, { labels: { app: 'api' }, value: 'one' })
      add('b/x', 3, { labels: { app: 'web' }, value: 'two' })
      add('ab/x', 4)
      expect(listed({})).toEqual(['a/x@one', 'a/y@one', 'ab/x@4', 'b/x@two'])
      expect(listed({ namespace: 'a' })).toEqual(['a/x@one', 'a/y@one'])
      expect(listed({ labels: { app: 'web' } })).toEqual(['a/x@one', 'b/x@two'])
      expect(listed({ labels: 'app in (web, api),!tier' })).toEqual(['a/y@one', 'b/x@two'])
      expect(listed({ index: { name: 'value', value: 'one' } })).toEqual(['a/x@one', 'a/y@one'])
      expect(listed({ index: { name: 'value', value: 'one' }, labels: 'app=web', namespace: 'a' })).toEqual(['a/x@one'])
      expect(listed({ index: { name: 'value', value: 'none' } })).toEqual([])
      const list = store.list()
      list.length = 0
      expect(store.list()).toHaveLength(4)
    })

    it('lists a namespace as it is, whatever came and went since it was first listed', () => {
      add('a/x', 1)
      add('b/x', 2)
      expect([listed({ namespace: 'a' }), listed({ namespace: 'c' })]).toEqual([['a/x@1'], []])
      add('a/y', 3)
      add('c/x', 4)
      writer.change('MODIFIED', item('b/x', 5), 100)
      writer.change('DELETED', item('a/x', 6), 100)
      expect(['a', 'b', 'c'].map(namespace => listed({ namespace }))).toEqual([['a/y@3'], ['b/x@5'], ['c/x@4']])
      writer.change('DELETED', item('c/x', 7), 100)
      expect(listed({ namespace: 'c' })).toEqual([])
      const snapshot = writer.replace()
      snapshot.put(item('b/z', 8), 100)
      snapshot.commit()
      expect(['a', 'b'].map(namespace => listed({ namespace }))).toEqual([[], ['b/z@8']])
    })

    it('leaves out of a namespace what could not be transformed, until it can', () => {
      begin({
        transform: object => {
          if ((object as Item).data?.value === 'bad') throw new Error('bad')
          return object as Item
        },
      })
      add('a/x', 1, { value: 'bad' })
      expect(listed({ namespace: 'a' })).toEqual([])
      writer.change('MODIFIED', item('a/x', 2), 100)
      expect(listed({ namespace: 'a' })).toEqual(['a/x@2'])
      writer.change('MODIFIED', item('a/x', 3, { value: 'bad' }), 100)
      expect(listed({ namespace: 'a' })).toEqual(['a/x@2'])
    })

    it('T4: says how much of what came is managedFields, which most views leave out', () => {
      const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { f: {} } }]
      const bytes = JSON.stringify(managedFields).length
      const given = (key: string, version: number): Item => {
        const { metadata, ...rest } = item(key, version)
        return { ...rest, metadata: { ...metadata, managedFields } as NonNullable<Item['metadata']> }
      }
      expect(store.stats().managedFieldsShare).toBe(0)
      writer.change('ADDED', given('a/x', 1), 4 * bytes)
      expect(store.stats().managedFieldsShare).toBeCloseTo(0.25, 5)
      // of a thousand more, one in 64 is looked at
      for (let n = 2; n < 1000; n++) writer.change('ADDED', given(`a/x${n}`, n), 4 * bytes)
      expect(store.stats().managedFieldsShare).toBeCloseTo(0.25, 5)
      // left out before they were decoded
      begin()
      const left = item('a/x', 1)
      writer.change('ADDED', left, JSON.stringify(left).length + 300)
      expect(store.stats().managedFieldsShare).toBeCloseTo(300 / (JSON.stringify(left).length + 300), 5)
      // a watch's line around it
      begin()
      writer.change('ADDED', left, JSON.stringify(left).length + 27)
      expect(store.stats().managedFieldsShare).toBe(0)
    })

    it('X6: names the wrong option of a list', () => {
      const refuses = (options: unknown, option: string, takes = ''): void =>
        expect(() => store.list(options as never)).toThrow(
          expect.objectContaining({ code: 'INVALID_OPTION', option, takes: expect.stringContaining(takes) }),
        )
      refuses({ index: { name: 'none', value: 'x' } }, 'list.index.name', '(none)')
      store.addIndex('first', () => [])
      store.addIndex('second', () => [])
      refuses({ index: { name: 'none', value: 'x' } }, 'list.index.name', '(first, second)')
      refuses({ index: { name: 'first' } }, 'list.index', 'both strings')
      refuses({ index: { value: 'x' } }, 'list.index', 'both strings')
      refuses({ index: { name: 5, value: 'x' } }, 'list.index.name')
      refuses({ index: { name: 'first', valeu: 'x' } }, 'list.index.valeu')
      refuses({ label: 'app=web' }, 'list.label')
      refuses({ labels: 'app=(' }, 'list.labels')
      expect(() => store.list({ namespace: '' })).toThrow(
        expect.objectContaining({ code: 'INVALID_NAME', message: expect.stringContaining('namespace') }),
      )
    })

    it('R35: an index follows what changes', () => {
      const asked: string[] = []
      store.addIndex('app', byLabel('app'))
      store.addIndex('both', object => {
        asked.push(shown(object))
        return ['all', 'all', object.data?.value ?? '']
      })
      const under = (value: string): string[] => listed({ index: { name: 'both', value } })
      add('a/x', 1, { labels: { app: 'web' }, value: 'one' })
      add('a/y', 2, { labels: { app: 'web' }, value: 'two' })
      expect([under('all'), under('one')]).toEqual([['a/x@one', 'a/y@two'], ['a/x@one']])
      add('a/x', 3, { labels: { app: 'api' }, value: 'three' })
      expect([under('all'), under('one'), under('three')]).toEqual([['a/x@three', 'a/y@two'], [], ['a/x@three']])
      expect([listed({ labels: 'app=web' }), listed({ labels: 'app in (api,web)' })]).toEqual([
        ['a/y@two'],
        ['a/x@three', 'a/y@two'],
      ])
      writer.change('DELETED', item('a/y', 4), 100)
      expect([under('all'), under('two'), listed({ labels: 'app=web' })]).toEqual([['a/x@three'], [], []])
      expect(asked).toEqual(['a/x@one', 'a/y@two', 'a/x@three'])
    })

    it('R35: can be added to a filled store; a name that is taken is an error', () => {
      begin({ indices: { first: object => [object.data?.value ?? ''] } })
      add('a/x', 1)
      store.addIndex('second', object => [`is ${object.data?.value}`])
      expect(listed({ index: { name: 'first', value: '1' } })).toEqual(['a/x@1'])
      expect(listed({ index: { name: 'second', value: 'is 1' } })).toEqual(['a/x@1'])
      expect(() => store.addIndex('first', () => [])).toThrow(
        expect.objectContaining({ option: 'index', message: expect.stringContaining('"first"') }),
      )
    })

    it('R35: has what was stored when a namespace had been listed before', () => {
      expect(listed({ namespace: 'a' })).toEqual([])
      const snapshot = writer.replace()
      snapshot.put(item('a/x', 1), 100)
      snapshot.put(item('b/x', 2), 100)
      snapshot.commit()
      expect([listed({ namespace: 'a' }), listed({ namespace: 'b' })]).toEqual([['a/x@1'], ['b/x@2']])
    })

    it('lists the namespace of a view of one, and nothing of another', () => {
      begin({ view: items.within({ namespaces: ['a'] }) })
      add('a/x', 1)
      expect([listed({ namespace: 'a' }), listed({ namespace: 'ab' }), listed({ namespace: 'b' })]).toEqual([
        ['a/x@1'],
        [],
        [],
      ])
    })

    it('R35: looks at those objects alone that an index has under the label’s values', () => {
      store.addIndex('app', byLabel('app'))
      add('a/x', 1, { labels: { app: 'web', tier: 'front' } })
      add('a/y', 2, { labels: { app: 'api', tier: 'front' } })
      add('a/z', 3, { labels: { tier: 'front' } })
      const looked = vi.spyOn(LabelSelector.prototype, 'matches')
      expect(listed({ labels: 'tier=front,app in (web,other)' })).toEqual(['a/x@1'])
      expect(looked).toHaveBeenCalledTimes(1)
      expect(listed({ labels: 'app notin (web)' })).toEqual(['a/y@2', 'a/z@3'])
      looked.mockRestore()
    })

    it('R35: an index that is added later is not asked of what could not be transformed', () => {
      const asked: unknown[] = []
      begin({
        transform: () => {
          throw new Error('bad')
        },
      })
      add('a/x', 1)
      store.addIndex('value', object => {
        asked.push(object)
        return []
      })
      expect(asked).toEqual([])
    })

    it('R35: asked for twice is one, however many share the store; another function of that name is an error', () => {
      const asked: string[] = []
      const first = (object: Item): string[] => {
        asked.push(shown(object))
        return ['all']
      }
      begin({ indices: { first, app: byLabel('app') } })
      add('a/x', 1, { labels: { app: 'web' } })
      store.addIndex('first', first)
      store.addIndex('app', byLabel('app'))
      expect(asked).toEqual(['a/x@1'])
      expect(listed({ index: { name: 'first', value: 'all' } })).toEqual(['a/x@1'])
      expect(listed({ labels: 'app=web' })).toEqual(['a/x@1'])
      expect(() => store.addIndex('first', () => ['all'])).toThrow(OptionRangeError)
      expect(() => store.addIndex('app', byLabel('other'))).toThrow(OptionRangeError)
      expect(() => store.addIndex('first', byLabel('app'))).toThrow(OptionRangeError)
    })

    it('R35: a function that throws, or gives no list of strings, is reported to onError; the object stays', () => {
      const bad: Record<string, unknown> = {
        throws: 'x',
        text: 'text',
        number: 5,
        numbers: ['one', 5],
        null: null,
        object: { length: 0 },
        nothing: undefined,
      }
      store.addIndex('value', object => {
        const value = object.data?.value ?? ''
        if (value === 'throws') throw new Error('bad index')
        return (Object.hasOwn(bad, value) ? bad[value] : [value]) as string[]
      })
      add('a/x', 1, { value: 'good' })
      let version = 1
      for (const value of Object.keys(bad)) writer.change('MODIFIED', item('a/x', ++version, { value }), 100)
      expect(store.get('a/x')?.data?.value).toBe('nothing')
      expect(listed({ index: { name: 'value', value: 'good' } })).toEqual([])
      expect(at.environment.errors.map(({ context }) => context)).toEqual(
        Array(7).fill({ resource: 'v1/configmaps', phase: 'index', key: 'a/x' }),
      )
      const [thrown, ...others] = at.environment.errors.map(({ error }) => error)
      expect(thrown?.message).toBe('bad index')
      const takes = 'a list of strings from its function'
      expect(others).toEqual(Array(6).fill(expect.objectContaining({ option: 'indices.value', takes })))
    })

    it('X5: labels and names such as __proto__ are data', () => {
      const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
      store.addIndex('proto', object => [object.metadata?.name ?? ''])
      add('a/__proto__', 1, { labels })
      add('a/constructor', 2)
      expect(shown(store.get('a/__proto__'))).toBe('a/__proto__@1')
      expect(listed({ labels: 'constructor' })).toEqual(['a/__proto__@1'])
      expect(listed({ index: { name: 'proto', value: '__proto__' } })).toEqual(['a/__proto__@1'])
      expect(Object.getPrototypeOf(store.get('a/constructor'))).toBe(Object.prototype)
      expect(({} as { x?: unknown }).x).toBeUndefined()
    })

    it.each([
      ['test', true],
      ['development', true],
      ['production', false],
      [undefined, true],
    ] as const)('R37, A9: objects are frozen by default where NODE_ENV is %s: %s', (value, isFrozen) => {
      vi.stubEnv('NODE_ENV', value)
      begin()
      vi.unstubAllEnvs()
      add('a/x', 1)
      expect(Object.isFrozen(store.get('a/x'))).toBe(isFrozen)
    })

    it('R37: objects are frozen deep with freeze, as by default, and a clone can be changed', () => {
      add('a/x', 1, { labels: { app: 'web' } })
      const object = store.get('a/x') as Item
      expect(() => {
        ;(object.metadata?.labels as Record<string, string>).app = 'other'
      }).toThrow(TypeError)
      const copy = structuredClone(object)
      expect(copy).toEqual(object)
      ;(copy.metadata?.labels as Record<string, string>).app = 'other'
      begin({ freeze: false })
      add('a/x', 1, { labels: { app: 'web' } })
      expect(Object.isFrozen(store.get('a/x'))).toBe(false)
    })

    it('R8: frozen objects are kept on a relist as others are, and two stores share what one has frozen', () => {
      begin({ freeze: true, view: items.full() as never })
      const other = make({ environment: at.environment, freeze: true, view: items.full() as never }).writer()
      const object = item('a/x', 1, { labels: { app: 'a-rather-long-label-value' } })
      for (const by of [writer, other]) by.change('ADDED', object, 100)
      const kept = store.get('a/x')
      const snapshot = writer.replace()
      snapshot.put(structuredClone(object), 100)
      snapshot.commit()
      expect(store.get('a/x')).toBe(kept)
      expect(at.environment.errors).toEqual([])
    })

    it('T1: what a projection gives is kept; one that gives nothing, or a promise, fails', () => {
      const results: Record<string, unknown> = { nothing: undefined, promise: Promise.reject(new Error('late')) }
      begin({ transform: object => (results[(object as Item).data?.value ?? ''] ?? object) as Item })
      add('a/x', 1, { value: 'promise' })
      expect(store.failed()).toEqual(['a/x'])
      begin({ transform: () => undefined as never })
      add('a/x', 1, { value: 'nothing' })
      expect(store.failed()).toEqual(['a/x'])
    })

    it('labels that a projection leaves out can not be selected by, which is said', () => {
      begin({ transform: object => ({ ...(object as Item), metadata: { name: 'x', namespace: 'a' } }) })
      add('a/y', 1)
      expect(listed({ labels: 'app=web' })).toEqual([])
      add('a/x', 2, { labels: { app: 'web' } })
      expect(() => store.list({ labels: 'app=web' })).toThrow(LabelsNotKeptError)
      expect(listed({})).toHaveLength(2)
    })

    it('leaves what could not be transformed out of what another store can be filled from', () => {
      begin({
        transform: object => {
          if ((object as Item).data?.value === 'bad') throw new Error('bad')
          return object as Item
        },
      })
      add('a/x', 1, { value: 'bad' })
      add('a/y', 2)
      expect([...store.entries()].map(({ object }) => shown(object))).toEqual(['a/y@2'])
    })

    it('gives what another store can be filled from', () => {
      add('a/x', 1)
      writer.change('ADDED', item('a/y', 2), 250)
      expect([...store.entries()].map(({ object, bytes }) => [shown(object), bytes])).toEqual([
        ['a/x@1', 100],
        ['a/y@2', 250],
      ])
      expect(store.stats().receivedBytes).toBe(350)
    })

    it('gives nothing as if it were all once it is closed, in the middle too', () => {
      add('a/x', 1)
      writer.change('ADDED', item('a/y', 2), 250)
      const [entries, keys] = [store.entries(), store.keys()]
      expect([entries.next().value?.bytes, keys.next().value]).toEqual([100, 'a/x'])
      const why = new Error('closed')
      store.close(why)
      expect(() => entries.next()).toThrow(why)
      expect(() => keys.next()).toThrow(why)
      expect(() => store.entries()).toThrow(why)
    })

    it('R37: a projection that changes what it is given fails where objects are frozen, and damages no other view', () => {
      const shared = item('a/x', 1, { value: 'kept' })
      const listers = [true, false].map(isGreedy => {
        begin({
          transform: object => {
            if (isGreedy) delete (object as { data?: unknown }).data
            return object as Item
          },
        })
        writer.change('ADDED', shared, 100)
        return store
      })
      expect(listers.map(lister => lister.failed())).toEqual([['a/x'], []])
      expect(listers[1]?.get('a/x')?.data).toEqual({ value: 'kept' })
    })
  })
}
