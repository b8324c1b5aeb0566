import type { Client } from '@wherry/client'
import { events } from '@wherry/client/resources/core'
import { type Arcade, inArcade } from '../../operator/testkit/arcade.ts'
import { at, games } from '../../operator/testkit/games.ts'

/** What an operator says of keys that do not come to rest. */
export interface Said {
  /** The lines of the log. */
  readonly lines: readonly string[]
  /** The labels and the values that metrics of loops had last. */
  readonly metrics: Map<string, number>
}

/** Runs `body` in an arcade that notes what the operator says of loops. */
export function whileLooping(body: (arcade: Arcade, said: Said) => Promise<void>, seed = 7): Promise<void> {
  const lines: string[] = []
  const metrics = new Map<string, number>()
  const note = (name: string, value: number, labels: unknown): void => {
    if (/loop|hot/.test(name)) metrics.set(`${name} ${JSON.stringify(labels)}`, value)
  }
  const environment = {
    log: (_level: string, message: string) => void (message.includes('come to rest') && lines.push(message)),
    metrics: {
      count: (name: string, labels?: unknown, by = 1) => {
        note(name, (metrics.get(`${name} ${JSON.stringify(labels)}`) ?? 0) + by, labels)
      },
      gauge: (name: string, value: number, labels?: unknown) => note(name, value, labels),
      observe() {},
    },
  }
  return inArcade({ seed, environment }, arcade => body(arcade, { lines, metrics }))
}

/** The reasons of the events that are about loops. */
export async function eventReasons(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(events)
  return items.map(({ reason }) => `${reason}`).filter(reason => /Loop|Fight/.test(reason))
}

/** Sets how many lives a game has. */
export function setLives(client: Client, name: string, lives: number): Promise<unknown> {
  return client.patch(games, at(name), { spec: { lives } })
}
