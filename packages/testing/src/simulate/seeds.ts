import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { checkFields, required, whole } from '@wherry/apiserver/internal'

/** Options of {@link forEachSeed}. */
export interface ForEachSeedOptions {
  /** The number of seeds, at least 1, unless the environment sets another. Choose a number that fits into CI. */
  readonly seeds: number
  /**
   * The first seed, unless `WHERRY_FIRST_SEED` sets another.
   *
   * @default 1
   */
  readonly first?: number | undefined
}

/**
 * A random run failed. The message has the seed, and the command that runs exactly this seed.
 *
 * @example
 * ```ts
 * import { forEachSeed, SeedError } from '@wherry/testing'
 *
 * try {
 *   await forEachSeed(seed => { if (seed === 7) throw new Error('seven') }, { seeds: 10 })
 * } catch (error) {
 *   if (error instanceof SeedError) console.error(error.seed, error.message)
 * }
 * ```
 */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly code = 'SEED_FAILED'
  readonly seed: number

  constructor(seed: number, replay: string, cause: unknown) {
    super(`seed ${seed} fails: ${cause instanceof Error ? cause.message : inspect(cause)}\nreplay: ${replay}`, {
      cause,
    })
    this.seed = seed
  }
}

/**
 * Runs `run` once for each of a number of consecutive seeds, one after the other, and stops at the first failure.
 *
 * `WHERRY_SEEDS` and `WHERRY_FIRST_SEED` override the number of seeds and the first seed. Without `WHERRY_SEEDS`, `WHERRY_SEED_SHARE`, a number above
 * 0, runs that share of the seeds, rounded up: 0.1 runs a tenth, for a run that has less time than CI. Resolves with the number of seeds that were run.
 *
 * Rejects with a `TypeError` or `RangeError` for invalid options.
 *
 * @example
 * ```ts
 * import { forEachSeed, simulate } from '@wherry/testing'
 *
 * await forEachSeed(
 *   async seed => {
 *     const simulation = simulate(seed)
 *     await simulation.run(() => simulation.advance(1000))
 *   },
 *   { seeds: 20 },
 * )
 * ```
 */
export async function forEachSeed(
  run: (seed: number) => Promise<void> | void,
  options: ForEachSeedOptions,
): Promise<number> {
  const file = callersFile(new Error().stack ?? '')
  checkFields('forEachSeed', options, { seeds: required(whole(1)), first: whole() })
  const first = fromEnvironment('WHERRY_FIRST_SEED') ?? options.first ?? 1
  const count = fromEnvironment('WHERRY_SEEDS') ?? Math.ceil(options.seeds * seedShare())
  for (let seed = first; seed < first + count; seed++) {
    try {
      await run(seed)
    } catch (error) {
      throw new SeedError(seed, `WHERRY_SEEDS=1 WHERRY_FIRST_SEED=${seed} npx vitest run ${file}`, error)
    }
  }
  return count
}

function seedShare(): number {
  const text = process.env.WHERRY_SEED_SHARE || '1'
  const share = Number(text)
  if (!(share > 0 && share <= 1000)) throw new RangeError(`WHERRY_SEED_SHARE takes a number above 0, not ${text}`)
  return share
}

function fromEnvironment(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} takes an integer, 0 or more, not ${text}`)
  return value
}

/** The test file in a stack trace, relative to the working directory. */
function callersFile(stack: string): string {
  const found = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:)[^()\n]+?\.test\.[cm]?[jt]sx?)/.exec(stack)?.[1]
  if (found === undefined) return 'FILE'
  return relative(process.cwd(), found.startsWith('file://') ? fileURLToPath(found) : found)
}
