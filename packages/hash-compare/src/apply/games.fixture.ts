import { type Client, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { define } from '@wherry/client/testkit/define'

/** A custom resource with a status subresource and a default. */
export interface Game {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
  spec?: { title?: string; players?: number; lives?: number }
  status?: { phase?: string; score?: number }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const text = { type: 'string' }
const whole = { type: 'integer' }

/** Defines the resource on a server, and resolves when it is served. */
export function defineGames(client: Client): Promise<void> {
  const spec = { title: text, players: whole, lives: { ...whole, default: 3 } }
  return define(client, games, { spec, status: { phase: text, score: whole } })
}
