import { forEachSeed, seededRandom } from '@wherry/testing'
import { it } from 'vitest'
import { Store } from './store.ts'
import { type Item, items, type MakeOptions } from './testkit/objects.ts'
import { runPromotions } from './testkit/promotion.ts'

const make = ({ view = items, ...options }: MakeOptions): Store<Item, 'namespaced'> =>
  new Store<Item, 'namespaced'>({ view, ...options })

it('D12: promotions, whichever writer is ahead, come to what the server has, and never go back', async () => {
  // A changed copy (npm run mutants) has seconds for all tests.
  const seeds = 500
  await forEachSeed(seed => runPromotions(make, seededRandom(seed)), { seeds })
})
