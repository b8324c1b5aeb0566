import { secrets } from '@wherry/client/resources/core'
import { beforeEach, expect, it } from 'vitest'
import { Store } from './store.ts'
import type { StoreWriter } from './store-writer.ts'
import { bed, contentsOf, type Item, item, items, recorder, shown } from './testkit/objects.ts'

let store: Store<Item, 'namespaced'>
let old: StoreWriter
let log: string[]

function list(writer: StoreWriter, version: number, ...objects: readonly Item[]): void {
  const snapshot = writer.replace()
  for (const object of objects) snapshot.put(object, 100)
  snapshot.commit(`${version}`)
}

beforeEach(() => {
  store = new Store<Item, 'namespaced'>({ view: items, environment: bed().environment })
  old = store.writer()
  log = []
  store.register(recorder(log))
  list(old, 10, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  log.length = 0
})

it('D9: shows nothing of a staged writer before it is promoted, and then delivers only the difference', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/2', 2), item('a/3', 11), item('a/4', 12))
  next.change('ADDED', item('a/5', 13), 100)
  next.change('ADDED', item('a/6', 14), 100)
  next.change('DELETED', item('a/6', 15), 100)
  expect([log, contentsOf(store)]).toEqual([[], ['a/1@1', 'a/2@2', 'a/3@3']])
  const kept = store.get('a/2')
  store.promote([next], [old])
  expect(log).toEqual(['delete a/1@1 unknown', 'add a/4@12', 'add a/5@13', 'update a/3@3 a/3@11'])
  expect(store.get('a/2')).toBe(kept)
  old.change('ADDED', item('a/7', 16), 100)
  next.change('MODIFIED', item('a/2', 17), 100)
  expect(log.slice(4)).toEqual(['update a/2@2 a/2@17'])
})

it('D12: what the former writer is ahead with is neither undone nor delivered twice', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('MODIFIED', item('a/1', 13), 100)
  old.change('DELETED', item('a/2', 14), 100)
  old.change('ADDED', item('a/4', 15), 100)
  log.length = 0
  store.promote([next], [old])
  next.change('MODIFIED', item('a/1', 13), 100)
  next.change('DELETED', item('a/2', 14), 100)
  next.change('ADDED', item('a/4', 15), 100)
  expect([log, contentsOf(store)]).toEqual([[], ['a/1@13', 'a/3@3', 'a/4@15']])
  next.change('MODIFIED', item('a/4', 16), 100)
  expect(log).toEqual(['update a/4@15 a/4@16'])
})

it.each<[string, (next: StoreWriter) => void]>([
  ['a bookmark', next => next.progress('14')],
  ['a change', next => next.change('MODIFIED', item('a/1', 14), 100)],
  ['a list', next => list(next, 14, item('a/1', 14))],
  ['its end', next => next.close()],
])(
  'D12: what the former writer is ahead with and the new one does not have goes when that has come so far: %s',
  (_, come) => {
    const next = store.writer({ staged: true })
    list(next, 12, item('a/1', 1))
    old.change('MODIFIED', item('a/2', 13), 100)
    old.change('ADDED', item('a/4', 14), 100)
    log.length = 0
    store.promote([next], [old])
    expect(log).toEqual(['delete a/3@3 unknown'])
    next.progress('13')
    const { resourceVersion: _none, ...unversioned } = item('a/1', 1).metadata ?? {}
    next.change('MODIFIED', { ...item('a/1', 1), metadata: unversioned } as Item, 100)
    expect(contentsOf(store)).toEqual(['a/1@1', 'a/2@13', 'a/4@14'])
    log.length = 0
    come(next)
    expect(log.filter(line => line.startsWith('delete')).sort()).toEqual([
      'delete a/2@13 unknown',
      'delete a/4@14 unknown',
    ])
    expect(contentsOf(store)).toHaveLength(1)
  },
)

it('D12: what the former writer is ahead with is deleted with its last state where the new one comes to that', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('ADDED', item('a/4', 14), 100)
  store.promote([next], [old])
  log.length = 0
  next.change('ADDED', item('a/4', 14), 100)
  next.change('DELETED', item('a/4', 15), 100)
  expect(log).toEqual(['delete a/4@15'])
})

it('D12: an object that goes before the new writer has seen it is deleted with its last state too', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('ADDED', item('a/4', 14), 100)
  store.promote([next], [old])
  log.length = 0
  next.change('DELETED', item('a/4', 15), 100)
  expect(log).toEqual(['delete a/4@15'])
})

it.each<[string, (next: StoreWriter) => void]>([
  ['by a bookmark', next => next.progress('15')],
  ['by a change', next => next.change('ADDED', item('a/9', 15), 100)],
  ['by a later list', next => list(next, 15, item('a/1', 1))],
  [
    'by a bookmark that an older one follows',
    next => {
      next.progress('15')
      next.progress('13')
    },
  ],
  [
    'by a list that does not say where it stands',
    next => {
      const snapshot = next.replace()
      for (const object of [item('a/8', 3), item('a/9', 15), item('a/1', 1)]) snapshot.put(object, 100)
      snapshot.commit()
    },
  ],
])('D9: what a staged writer has come past and does not have goes at once (%s)', (_, come) => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1))
  old.change('MODIFIED', item('a/2', 14), 100)
  log.length = 0
  come(next)
  store.promote([next], [old])
  expect(log.filter(line => line.startsWith('delete'))).toEqual(['delete a/2@14 unknown', 'delete a/3@3 unknown'])
})

it('D12: what one promotion left open stays so through another one, for the writers that it is open for', () => {
  const other = store.writer()
  list(other, 10, item('b/1', 3))
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('ADDED', item('a/4', 14), 100)
  old.change('ADDED', item('a/5', 14), 100)
  old.change('MODIFIED', item('a/3', 14), 100)
  old.change('DELETED', item('a/2', 15), 100)
  store.promote([next], [old])
  const last = store.writer({ staged: true })
  list(last, 12, item('b/1', 3))
  store.promote([last], [other])
  log.length = 0
  last.progress('15')
  next.change('MODIFIED', item('a/2', 13), 100)
  next.change('MODIFIED', item('a/3', 13), 100)
  next.change('ADDED', item('a/5', 14), 100)
  next.change('MODIFIED', item('a/3', 14), 100)
  expect([log, contentsOf(store)]).toEqual([[], ['a/1@1', 'a/3@14', 'a/4@14', 'a/5@14', 'b/1@3']])
  next.progress('15')
  expect([log, contentsOf(store)]).toEqual([['delete a/4@14 unknown'], ['a/1@1', 'a/3@14', 'a/5@14', 'b/1@3']])
})

it('D12: what one promotion left open is open for the next writers where those that it was open for go too', () => {
  const second = store.writer({ staged: true })
  list(second, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('ADDED', item('a/4', 14), 100)
  old.change('DELETED', item('a/2', 15), 100)
  store.promote([second], [old])
  const third = store.writer({ staged: true })
  list(third, 13, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  log.length = 0
  store.promote([third], [second])
  expect([log, contentsOf(store)]).toEqual([[], ['a/1@1', 'a/3@3', 'a/4@14']])
  third.progress('15')
  expect([log, contentsOf(store)]).toEqual([['delete a/4@14 unknown'], ['a/1@1', 'a/3@3']])
})

it('D12: waits no more for writers of an earlier promotion that were closed', () => {
  const other = store.writer()
  list(other, 10, item('b/1', 3))
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  const last = store.writer({ staged: true })
  list(last, 12, item('b/1', 3))
  old.change('ADDED', item('a/4', 14), 100)
  other.change('ADDED', item('b/2', 15), 100)
  store.promote([next], [old])
  next.close()
  store.promote([last], [other])
  last.progress('15')
  expect(contentsOf(store)).toEqual(['a/1@1', 'a/2@2', 'a/3@3', 'b/1@3'])
})

it('R5, D12: what one promotion left open is settled by the newest state, be it an older one', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  old.change('MODIFIED', item('a/1', 13), 100)
  old.change('DELETED', item('a/2', 14), 100)
  old.change('ADDED', item('a/4', 15), 100)
  store.promote([next], [old])
  log.length = 0
  const restored = next.replace({ reuse: false })
  restored.put(item('a/1', 1), 100)
  restored.put(item('a/2', 2), 100)
  restored.commit('5')
  expect(log).toEqual(['delete a/3@3 unknown', 'add a/2@2', 'update a/1@13 a/1@1', 'delete a/4@15 unknown'])
  next.change('MODIFIED', item('a/1', 6), 100)
  expect(contentsOf(store)).toEqual(['a/1@6', 'a/2@2'])
})

it('R5, D12: the newest state of one part leaves the open keys of another open', () => {
  const parts = [store.writer({ staged: true }), store.writer({ staged: true })] as const
  list(parts[0], 12, item('a/1', 1), item('a/2', 2))
  list(parts[1], 12, item('a/3', 3))
  old.change('MODIFIED', item('a/3', 13), 100)
  store.promote(parts, [old])
  log.length = 0
  const newest = parts[0].replace({ reuse: false })
  newest.put(item('a/1', 14), 100)
  newest.commit('14')
  parts[1].change('MODIFIED', item('a/3', 11), 100)
  expect(log).toEqual(['delete a/2@2 unknown', 'update a/1@1 a/1@14'])
  expect(contentsOf(store)).toEqual(['a/1@14', 'a/3@13'])
})

it('D12: what a relist of the former writer found to be gone does not come back in that very state', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 2), item('a/3', 3))
  list(old, 15, item('a/1', 1), item('a/3', 3))
  store.promote([next], [old])
  next.change('DELETED', item('a/2', 14), 100)
  expect([log, contentsOf(store)]).toEqual([['delete a/2@2 unknown'], ['a/1@1', 'a/3@3']])
})

it('D8, D12: what the former writer was cleared of may be there in that very state for the new one', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1))
  old.clear()
  expect(contentsOf(store)).toEqual([])
  store.promote([next], [old])
  expect(contentsOf(store)).toEqual(['a/1@1'])
})

it.each([
  [12, 20],
  [20, 12],
])('D12: of several writers, all have to come past what goes at once: %i and %i have not', (one, two) => {
  const next = [store.writer({ staged: true }), store.writer({ staged: true })] as const
  list(next[0], one, item('a/1', 1))
  list(next[1], two, item('a/3', 3))
  old.change('MODIFIED', item('a/2', 14), 100)
  store.promote(next, [old])
  expect(contentsOf(store)).toEqual(['a/1@1', 'a/2@14', 'a/3@3'])
  for (const writer of next) writer.progress('20')
  expect(contentsOf(store)).toEqual(['a/1@1', 'a/3@3'])
})

it('D12: a list that does not say where it stands is as new as its newest object', () => {
  const next = store.writer({ staged: true })
  const snapshot = next.replace()
  for (const object of [item('a/8', 3), item('a/9', 12), item('a/1', 1)]) snapshot.put(object, 100)
  snapshot.commit()
  old.change('MODIFIED', item('a/2', 14), 100)
  store.promote([next], [old])
  expect(contentsOf(store)).toEqual(['a/1@1', 'a/2@14', 'a/8@3', 'a/9@12'])
})

it('D8: a staged writer has nothing once its resource is gone', () => {
  const next = store.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/9', 12))
  next.clear()
  expect(contentsOf(store)).toHaveLength(3)
  store.promote([next], [old])
  expect(contentsOf(store)).toEqual([])
})

it('R8, R30: transforms nothing of what the store or the staged writer has in that state', () => {
  const given: string[] = []
  const transform = (object: object): Item => {
    given.push(shown(object as Item))
    return object as Item
  }
  const own = new Store<Item, 'namespaced'>({ view: items, environment: bed().environment, transform })
  list(own.writer(), 10, item('a/1', 1), item('a/2', 2))
  const next = own.writer({ staged: true })
  list(next, 12, item('a/1', 1), item('a/2', 12))
  next.change('MODIFIED', item('a/2', 12), 100)
  next.change('MODIFIED', item('a/2', 13), 100)
  expect(given).toEqual(['a/1@1', 'a/2@2', 'a/2@12', 'a/2@13'])
})

it('a staged writer that is closed is none that the store’s sync waits for', () => {
  const fresh = new Store<Item, 'namespaced'>({ view: items, environment: bed().environment })
  const [first, second, staged] = [fresh.writer(), fresh.writer(), fresh.writer({ staged: true })]
  staged.close()
  list(first, 5)
  first.close()
  expect(fresh.synced).toBe(false)
  list(second, 6)
  expect(fresh.synced).toBe(true)
})

it('D9: changes the scope of later changes, and no more of the view', () => {
  const next = store.writer({ staged: true })
  list(next, 12)
  const cursor = store.cursor()
  const narrow = items.within({ namespaces: ['b'] })
  for (const other of [items.full(), secrets]) {
    expect(() => store.promote([next], [old], other as never)).toThrow(
      expect.objectContaining({ option: 'promote.view', takes: 'a view of the same resource and projection' }),
    )
  }
  store.promote([next], [old], narrow)
  expect([store.view.key, cursor.take(1)[0]?.view.key]).toEqual([narrow.key, narrow.key])
})

it('X6: takes staged writers of its own that have committed, and nothing else', () => {
  const staged = store.writer({ staged: true })
  const other = new Store<Item, 'namespaced'>({ view: items, environment: bed().environment })
  const stranger = other.writer({ staged: true })
  list(stranger, 5)
  const refuses = (next: readonly StoreWriter[], former: readonly StoreWriter[], option: string, takes: string): void =>
    expect(() => store.promote(next, former)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option, takes: expect.stringContaining(takes) }),
    )
  refuses([stranger], [old], 'promote.staged', 'of this store')
  refuses([], [old], 'promote.staged', 'at least one')
  refuses([staged], [old], 'promote.staged', 'have committed')
  refuses([old], [], 'promote.staged', 'staged')
  list(staged, 5)
  refuses([staged], [stranger], 'promote.retired', 'of this store')
  staged.close()
  refuses([staged], [old], 'promote.staged', 'open')
  expect(contentsOf(store)).toHaveLength(3)
})

it('lets go of a staged writer that is closed, and of what it gathered', () => {
  const staged = store.writer({ staged: true })
  list(staged, 12, item('a/9', 12))
  staged.clear()
  staged.close({ forget: true })
  expect([contentsOf(store), store.synced]).toEqual([['a/1@1', 'a/2@2', 'a/3@3'], true])
})

it('has synced with a promotion, if it had not', () => {
  const fresh = new Store<Item, 'namespaced'>({ view: items, environment: bed().environment })
  const [slow, staged] = [fresh.writer(), fresh.writer({ staged: true })]
  list(staged, 5, item('a/1', 1))
  expect(fresh.synced).toBe(false)
  fresh.promote([staged], [slow])
  expect([fresh.synced, contentsOf(fresh)]).toEqual([true, ['a/1@1']])
})

it('D12: what the first of three knew to be gone, and the second has come to since, does not come back with the third', () => {
  const [second, others] = [store.writer({ staged: true }), [item('a/2', 2), item('a/3', 3)]]
  list(second, 12, item('a/1', 1), ...others)
  old.change('DELETED', item('a/1', 20), 100)
  store.promote([second], [old])
  const third = store.writer({ staged: true })
  second.change('DELETED', item('a/1', 20), 100)
  list(third, 15, item('a/1', 1), ...others)
  store.promote([third], [second])
  third.change('DELETED', item('a/1', 20), 100)
  expect(log).toEqual(['delete a/1@20'])
  third.change('ADDED', item('a/1', 21, { uid: 'new' }), 100)
  expect(log).toEqual(['delete a/1@20', 'add a/1@21'])
})
