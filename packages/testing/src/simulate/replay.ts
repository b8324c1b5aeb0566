import { type SimulateOptions, type Simulation, simulate } from './simulate.ts'
import { firstDifference } from './trace.ts'

/**
 * Runs `body` twice from `seed` and rejects if the traces differ: the code then uses time, random numbers or an order from outside the simulation. The
 * message shows the first difference.
 *
 * @example
 * ```ts
 * import { checkReplay } from '@wherry/testing'
 *
 * await checkReplay(1, async simulation => {
 *   await simulation.advance(simulation.random() * 1000) // the random numbers of the simulation, not Math.random()
 * })
 * ```
 */
export async function checkReplay(
  seed: number,
  body: (simulation: Simulation) => Promise<void>,
  options: SimulateOptions = {},
): Promise<void> {
  const twice = async (trace: 'hash' | 'full'): Promise<string | undefined> => {
    const first = simulate(seed, { ...options, trace })
    await first.run(() => body(first))
    const second = simulate(seed, { ...options, trace })
    await second.run(() => body(second))
    return firstDifference(first.trace, second.trace)
  }
  const difference = await twice('hash')
  if (difference === undefined) return
  throw new Error(`two runs of seed ${seed} differ: ${(await twice('full')) ?? `${difference} (not seen again)`}`)
}
