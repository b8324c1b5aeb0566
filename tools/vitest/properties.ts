import { relative } from 'node:path'
import type { IAsyncProperty, IProperty, Parameters, RunDetails } from 'fast-check'
import { expect, vi } from 'vitest'
import { repository } from './aliases.ts'

/**
 * What a run says of its properties: from which seed they are tried, what share of the runs that a test asks for, how many at
 * most, and how many where a test does not say. A soak says the seed and the number by the names of the random suites.
 */
const {
  WHERRY_FIRST_SEED,
  WHERRY_PROPERTY_SEED: seed = WHERRY_FIRST_SEED,
  WHERRY_SEED_SHARE: share = '1',
  WHERRY_PROPERTY_RUNS: most = 'Infinity',
  WHERRY_SEEDS: usual = '100',
} = process.env

type Property = IProperty<unknown> | IAsyncProperty<unknown>

/**
 * Properties are tried from the seed of the run, so that a run can be had again, and one that fails says by which command.
 * Where fast-check is not used it is not loaded.
 */
vi.mock('fast-check', async load => {
  const original = await load<typeof import('fast-check')>()

  const fail = (details: RunDetails<unknown>, runs: number): void => {
    if (!details.failed) return
    const { testPath = 'FILE', currentTestName = '' } = expect.getState()
    const [name = ''] = currentTestName.split(' > ').slice(-1)
    const again = `WHERRY_PROPERTY_SEED=${details.seed} WHERRY_PROPERTY_RUNS=${runs} npx vitest run`
    const replay = `replay: ${again} ${relative(repository, testPath)} -t ${JSON.stringify(name)}`
    const said = original.defaultReportMessage(details)
    throw new Error(`${said}\n${replay}`, { cause: details.errorInstance })
  }

  const assert = (property: Property, given: Parameters<unknown> = {}): Promise<void> | void => {
    const numRuns = Math.min(Math.ceil((given.numRuns ?? Number(usual)) * Number(share)), Number(most))
    const options: Parameters<unknown> = {
      ...(seed !== undefined && { seed: Number(seed) }),
      ...given,
      numRuns,
      // A mutant has seconds for all its tests, and nobody reads how small its counterexample can be made.
      ...(process.env.STRYKER_MUTATOR_WORKER !== undefined && { endOnFailure: true }),
    }
    const found = original.check(property as IAsyncProperty<unknown>, options) as
      | RunDetails<unknown>
      | Promise<RunDetails<unknown>>
    return found instanceof Promise ? found.then(details => fail(details, numRuns)) : fail(found, numRuns)
  }
  return { ...original, assert, default: { ...original.default, assert } }
})
