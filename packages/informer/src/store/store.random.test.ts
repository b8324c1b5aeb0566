import { forEachSeed, seededRandom } from '@wherry/testing'
import { it } from 'vitest'
import { Store } from './store.ts'
import { runModel } from './testkit/model.ts'
import { type Item, items, type MakeOptions } from './testkit/objects.ts'

const make = ({ view = items, ...options }: MakeOptions): Store<Item, 'namespaced'> =>
  new Store<Item, 'namespaced'>({ view, ...options })

it('R38: whatever writers do, the store is what the server has, and all readers come to the same', async () => {
  // A changed copy (npm run mutants) has seconds for all tests.
  const seeds = 150
  await forEachSeed(seed => runModel(make, seededRandom(seed), 300), { seeds })
})
