import { createHash } from 'node:crypto'
import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** What the demo's operator looks after: a game that needs a ConfigMap (its levels) and a Secret (its licence). */
export interface Game {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
  readonly metadata?: ObjectMeta | undefined
  readonly spec?: { readonly levels: string; readonly licence: string } | undefined
  readonly status?: GameStatus | undefined
}

export interface GameStatus {
  /** The digest of all that both hold; `missing` where one of them is not there. */
  readonly digest: string
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const text = { type: 'string' } as const

/** The definition of games, with their status. */
export const gameDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { kind: 'Game', listKind: 'GameList', plural: 'games', singular: 'game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', required: ['levels', 'licence'], properties: { levels: text, licence: text } },
              status: { type: 'object', properties: { digest: text } },
            },
          },
        },
      },
    ],
  },
}

/** The game of the demo, what it needs, and where they are. */
export const chess = { game: 'chess', levels: 'chess-levels', licence: 'chess-licence' } as const

/** What a ConfigMap or a Secret holds. */
export type Data = Readonly<Record<string, string>>

/** The digest of what a game's ConfigMap and Secret hold, the Secret's in base64, as it is sent. */
export function digestOf(levels: Data, licence: Data): string {
  const hash = createHash('sha256')
  for (const data of [levels, licence]) {
    for (const name of Object.keys(data).sort()) hash.update(name).update(data[name] ?? '')
  }
  return hash.digest('hex').slice(0, 16)
}
