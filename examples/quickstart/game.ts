import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'

/**
 * A game of the arcade. It needs the Secret that holds its licence.
 *
 * @group arcade.example.com
 * @version v1
 * @printColumn Title .spec.title
 * @printColumn Phase .status.phase
 */
export interface Game {
  metadata?: ObjectMeta
  /** What the players want. */
  spec: {
    /** What the game is called. */
    title: string
    /**
     * The name of the Secret that holds the licence, in the namespace of the game.
     *
     * @minLength 1
     */
    licenceSecret: string
  }
  /** What the operator has seen. */
  status?: {
    /** `NoLicence` if there is no such Secret. */
    phase?: 'Ready' | 'NoLicence'
  }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
