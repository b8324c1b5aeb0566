import type { IAsyncProperty, IProperty, Parameters } from 'fast-check'
import { vi } from 'vitest'

/** Most runs of a property: a changed copy has seconds for all its tests, and most changes are noticed within a few. */
const maxRuns = 60

/** A counterexample is enough: nobody reads how small it can be made. Where fast-check is not used it is not loaded. */
vi.mock('fast-check', async load => {
  const original = await load<typeof import('fast-check')>()
  const assert = (property: IProperty<unknown> | IAsyncProperty<unknown>, given: Parameters<unknown> = {}): unknown => {
    const numRuns = Math.min(given.numRuns ?? maxRuns, maxRuns)
    return original.assert(property as IAsyncProperty<unknown>, { ...given, numRuns, endOnFailure: true })
  }
  return { ...original, assert, default: { ...original.default, assert } }
})
