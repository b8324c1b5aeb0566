import type { Environment } from '@wherry/client'
import type { ControllerOptions } from '../../controller/definition.ts'
import type { PrometheusMetrics } from '../../metrics/prometheus.ts'
import type { Cluster } from '../../testkit.fixture.ts'
import { startCluster } from '../../testkit.fixture.ts'
import type { Traces } from '../../tracing/traces.ts'
import type { ControllerBuilder } from '../builder.ts'
import { Operator } from '../operator.ts'
import type { OperatorSettings } from '../options.ts'
import { defineGames, type Game, game, games } from './games.ts'

/** A cluster in memory that knows games, and an operator in it that is not run yet, on simulated time. */
export interface Arcade extends Cluster {
  readonly operator: Operator
  /** Begins a controller of games, by default `game`. */
  forGames(name?: string, options?: ControllerOptions): ControllerBuilder<Game, 'namespaced'>
  /** Begins to run the operator. */
  run(): void
  /** Creates these games, runs the operator, and resolves when it has settled. */
  start(...made: readonly (string | Game)[]): Promise<void>
  /** Resolves when the operator has settled after a change. */
  after(change: Promise<unknown>): Promise<void>
  /** Ends it, and gives how the run ended. */
  end(): Promise<unknown>
}

type Body = (arcade: Arcade) => Promise<void>
type Settings = OperatorSettings & {
  readonly seed?: number
  readonly traces?: Traces
  readonly metrics?: PrometheusMetrics
  readonly environment?: Partial<Environment>
}

/** Runs `body` in an arcade, and closes all. */
export async function inArcade(...given: [body: Body] | [settings: Settings, body: Body]): Promise<void> {
  const [{ seed = 7, metrics, environment, ...rest }, body] = given.length === 1 ? [{} as Settings, ...given] : given
  const cluster = await startCluster(seed, { ...environment, ...(metrics && { metrics }) })
  const { client, simulation } = cluster
  const operator = new Operator({ ...rest, name: 'arcade', client, metrics })
  const stop = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  const arcade: Arcade = {
    ...cluster,
    operator,
    forGames: (name = 'game', options) => operator.controller(name, options).for(games),
    start: async (...made) => {
      for (const one of made) await client.create(games, typeof one === 'string' ? game(one) : one)
      arcade.run()
      await operator.settled()
    },
    run: () => {
      running = operator.run({ signal: stop.signal, signals: false }).then(
        () => 'ended',
        error => error,
      )
    },
    after: async change => {
      await change
      await operator.settled()
    },
    end: () => {
      stop.abort(new Error('enough'))
      return running
    },
  }
  try {
    await simulation.run(async () => {
      await defineGames(client)
      await body(arcade)
    })
  } finally {
    await simulation.run(async () => {
      stop.abort(new Error('enough'))
      await running
      await operator.close()
    })
    await cluster.close()
  }
}
