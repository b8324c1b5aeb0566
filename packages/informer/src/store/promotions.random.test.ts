import { forEachSeed, seededRandom } from '@wherry/testing'
import { it } from 'vitest'
import { packed } from '../packed.ts'
import { PlainStore } from './plain-store.ts'
import { type Item, items, type MakeOptions } from './testkit/objects.ts'
import { runPromotions } from './testkit/promotion.ts'

const make = ({ view = items, ...options }: MakeOptions): PlainStore<Item, 'namespaced'> =>
  new PlainStore<Item, 'namespaced'>({ view, ...options })
const makePacked: typeof make = options => make({ ...options, packed })

it('D12: promotions, whoever is ahead, come to what the server has, and never go back', async () => {
  // A changed copy (npm run mutants) has seconds for all tests.
  const seeds = 500
  await forEachSeed(seed => runPromotions(make, seededRandom(seed)), { seeds })
})

it('T5: so they do where values are packed, and what nobody can read any more is let go of', async () => {
  const seeds = 500
  await forEachSeed(seed => runPromotions(makePacked, seededRandom(seed)), { seeds })
})
