import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { int } from '@wherry/crd'

/**
 * A game of the arcade.
 *
 * @group arcade.example.com
 * @version v2
 * @storage
 */
export interface Game {
  metadata?: ObjectMeta
  /** What the players want. */
  spec: {
    /** What the game is called. */
    title: string
    /**
     * How many play.
     *
     * @minimum 1
     */
    players?: int
  }
  /** What the operator has seen. */
  status?: {
    /** Whether the game can begin. */
    phase?: 'Ready'
  }
}

/**
 * A game of the arcade, as the release before had it.
 *
 * @group arcade.example.com
 * @kind Game
 * @version v1
 */
export interface GameV1 {
  metadata?: ObjectMeta
  /** What the players want. */
  spec: {
    /** What the game is called. */
    title: string
  }
  /** What the operator has seen. */
  status?: {
    /** Whether the game can begin. */
    phase?: string
  }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v2',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

/** Games as the release before had them. */
export const gamesV1: Resource<GameV1, 'namespaced'> = defineResource<GameV1>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
