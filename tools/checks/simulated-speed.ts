import { join } from 'node:path'
import { command } from '../test/command.ts'
import type { Found } from '../test/step.ts'
import { root } from '../workspace.ts'
import { packed } from './packed.ts'

/**
 * How much processor time a simulated run may take, in pieces of a fixed work (`simulated-speed.ts` of the bench `server`). It
 * decides how many seeds a night finds. Measured are 4.1; a third more is what another processor may make of it.
 */
const mostWork = 5.5

/** A run of the embedded server on simulated time against a fixed piece of work, the median of three processes. */
export async function checkSimulatedSpeed(): Promise<Found> {
  await packed()
  const ratios: number[] = []
  for (let time = 0; time < 3; time++) {
    const script = join(root, 'test/bench/benches/server/simulated-speed.ts')
    const { code, output } = await command(process.execPath, [script], { limitMs: 120_000 })
    if (code !== 0) return { passed: 0, failures: [output.trim()] }
    ratios.push((JSON.parse(output) as { ratio: number }).ratio)
  }
  const median = ratios.sort((a, b) => a - b)[1] as number
  const said = `a simulated run takes ${median.toFixed(2)} times a fixed piece of work; its bound is ${mostWork}`
  return median <= mostWork ? { passed: 1, failures: [], notes: [said] } : { passed: 0, failures: [said] }
}
