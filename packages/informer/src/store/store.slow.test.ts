import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { seededRandom } from '@wherry/testing'
import { beforeAll, expect, it } from 'vitest'
import { Store } from './store.ts'
import { runModel } from './testkit/model.ts'
import { bed, type Item, item, items, type MakeOptions } from './testkit/objects.ts'

let collect: () => void

beforeAll(() => {
  setFlagsFromString('--expose-gc')
  collect = runInNewContext('gc') as () => void
})

function heap(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

const make = (): Store<Item, 'namespaced'> =>
  new Store<Item, 'namespaced'>({ view: items, environment: bed().environment, freeze: false })

const objects = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => item(`namespace-${index % 50}/config-map-${index}`, index + 1))

it('R8: 200 relists of unchanged objects leave the heap flat, and no handler receives them', () => {
  const count = 3000
  const store = make()
  const writer = store.writer()
  const list = (): void => {
    const snapshot = writer.replace()
    for (const object of objects(count)) snapshot.put(object, 100)
    snapshot.commit()
  }
  list()
  const cursor = store.cursor()
  cursor.take(count * 2)
  for (let time = 0; time < 20; time++) list()
  const before = heap()
  for (let time = 0; time < 200; time++) list()
  // 1 KB for each, and what the heap's own measurement sways by.
  expect(heap() - before).toBeLessThan(200 * 1024 + 500_000)
  expect(cursor.take(1)).toEqual([])
  store.close(new Error('over'))
})

it('R38: the store’s own cost is at most 300 bytes an object, a cursor’s 256, however far behind', () => {
  // So many that what others put on the heap meanwhile, some hundreds of kilobytes, is nothing to them.
  const count = 30_000
  const store = make()
  const writer = store.writer()
  const all = objects(count)
  const before = heap()
  const snapshot = writer.replace()
  for (const object of all) snapshot.put(object, 100)
  snapshot.commit()
  const filled = heap()
  expect((filled - before) / count).toBeLessThan(300)
  const cursors = Array.from({ length: 10_000 }, () => store.cursor())
  for (const [index, cursor] of cursors.entries()) cursor.take((index % 1000) + 1)
  expect((heap() - filled) / cursors.length).toBeLessThan(256)
  expect(all).toHaveLength(count)
  store.close(new Error('over'))
})

it('holds the text of a name once, as a part of the key', () => {
  const count = 3000
  const store = make()
  const snapshot = store.writer().replace()
  const long = 'x'.repeat(2000)
  const before = heap()
  for (let index = 0; index < count; index++) {
    const object = item(`namespace-${index % 50}/${long}-${index}`, index + 1, { uid: `${index}` })
    snapshot.put(JSON.parse(JSON.stringify(object)) as object, 100)
  }
  snapshot.commit()
  // The rest takes some 400 bytes; a second text would take 2000 more.
  expect((heap() - before) / count).toBeLessThan(3000)
  expect(store.get(`namespace-7/${long}-7`)?.metadata?.name).toBe(`${long}-7`)
  store.close(new Error('over'))
})

it('R38: whatever writers do over thousands of changes, when the orders are compacted, it comes to what the server has', async () => {
  const make = ({ view = items, ...options }: MakeOptions): Store<Item, 'namespaced'> =>
    new Store<Item, 'namespaced'>({ view, ...options })
  await runModel(make, seededRandom(1), 6000)
})
