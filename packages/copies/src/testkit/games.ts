import { type Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { define } from '@wherry/client/testkit/define'
import type { Condition } from '@wherry/controller'
import type { CopiesOptions } from '../options.ts'

/** A custom resource with a status. */
export interface Game extends KubernetesObject {
  spec?: { title?: string; lives?: number }
  status?: {
    phase?: string
    players?: string[]
    notes?: Record<string, string>
    conditions?: (Pick<Condition, 'type' | 'status'> & { reason?: string })[]
  }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const text = { type: 'string' }
const condition = { type: 'object', required: ['type'], properties: { type: text, status: text, reason: text } }

/** Defines games on a server, and resolves when they are served. */
export function defineGames(client: Client): Promise<void> {
  return define(client, games, {
    spec: { title: text, lives: { type: 'integer', default: 3 } },
    status: {
      phase: text,
      players: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      notes: { type: 'object', additionalProperties: text },
      conditions: {
        ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
        items: condition,
      },
    },
  })
}

/** The status of a copy of a game. */
export const copied = ({ spec }: Game): NonNullable<Game['status']> => ({
  phase: `Copied ${spec?.title}`,
  players: ['ann', 'bob'],
  notes: { of: 'copies' },
  conditions: [{ type: 'Copied', status: 'True' }],
})

/** Copies of the games of a namespace, with a status. */
export const gamesOf = (name: string, targets: string): CopiesOptions<Game, Game> => ({
  ...{ name, source: games.within({ namespaces: [name] }), copies: games, targets, status: copied },
  build: ({ spec }) => ({ spec: { title: spec?.title ?? '' } }),
})
