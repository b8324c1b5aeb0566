import { type Client, sleep } from '@wherry/client'
import type { Simulation } from '@wherry/testing'
import type { Operator } from '../../operator/operator.ts'
import { games, ours } from '../../operator/testkit/games.ts'
import type { DesiredOptions } from '../context.ts'

/** A controller that has the title of a game in the ConfigMap `made`. */
export function applyTitle(operator: Operator, options?: DesiredOptions): void {
  operator
    .controller('game')
    .for(games)
    .reconcile(async ({ apply, object }) => {
      await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, options)
    })
}

/** Changes the status of the game `chess` so often, each `everyMs`. */
export async function beat(
  { client, simulation }: { readonly client: Client; readonly simulation: Simulation },
  times: number,
  everyMs: number,
): Promise<void> {
  for (let i = 0; i < times; i++) {
    await client.status.patch(games, { name: 'chess', namespace: 'default' }, { status: { phase: `${i}` } })
    await sleep(simulation.clock, everyMs)
  }
}
