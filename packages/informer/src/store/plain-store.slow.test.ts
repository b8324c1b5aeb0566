import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { seededRandom } from '@wherry/testing'
import { beforeAll, expect, it } from 'vitest'
import { PlainStore } from './plain-store.ts'
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

const make = (): PlainStore<Item, 'namespaced'> =>
  new PlainStore<Item, 'namespaced'>({ view: items, environment: bed().environment, freeze: false })

const objects = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => item(`namespace-${index % 50}/config-map-${index}`, index + 1))

it('R8: 200 relists of unchanged objects leave the heap flat, and nobody hears of them', () => {
  const count = 3000
  const store = make()
  const intake = store.intake()
  const list = (): void => {
    const replacement = intake.replace()
    for (const object of objects(count)) replacement.put(object, 100)
    replacement.commit()
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
  const intake = store.intake()
  const all = objects(count)
  const before = heap()
  const replacement = intake.replace()
  for (const object of all) replacement.put(object, 100)
  replacement.commit()
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
  const replacement = store.intake().replace()
  const long = 'x'.repeat(2000)
  const before = heap()
  for (let index = 0; index < count; index++) {
    const object = item(`namespace-${index % 50}/${long}-${index}`, index + 1, { uid: `${index}` })
    replacement.put(JSON.parse(JSON.stringify(object)) as object, 100)
  }
  replacement.commit()
  // The rest takes some 400 bytes; a second text would take 2000 more.
  expect((heap() - before) / count).toBeLessThan(3000)
  expect(store.lister.get(`namespace-7/${long}-7`)?.metadata?.name).toBe(`${long}-7`)
  store.close(new Error('over'))
})

it('R38: whatever intakes do over thousands of changes, when the orders are compacted, it comes to what the server has', async () => {
  const make = ({ view = items, ...options }: MakeOptions): PlainStore<Item, 'namespaced'> =>
    new PlainStore<Item, 'namespaced'>({ view, ...options })
  await runModel(make, seededRandom(1), 6000)
})
