import type { ObjectMeta } from '@wherry/client'
import type { Duration, IntOrString, int, int64, Quantity, Timestamp } from '@wherry/crd'

/**
 * A game of the arcade.
 *
 * @group arcade.example.com
 * @version v1
 * @shortName gm
 * @category all
 * @printColumn Players .spec.players
 * @printColumn "Best score" .status.best priority=1
 * @printColumn Age .metadata.creationTimestamp type=date
 * @selectableField .spec.difficulty
 * @scale .spec.players .status.ready
 */
export interface Game {
  apiVersion?: 'arcade.example.com/v1'
  kind?: 'Game'
  metadata?: ObjectMeta
  spec: GameSpec
  status?: GameStatus
}

/**
 * What the players want.
 *
 * @validation `self.minimum <= self.players` fewer players than the minimum
 */
interface GameSpec {
  /**
   * How many play.
   *
   * @minimum 1
   * @maximum 64
   * @default 2
   */
  players: int
  /** @default 1 */
  minimum: int
  /**
   * How hard it is.
   * Nobody can change it.
   *
   * @immutable
   */
  difficulty: 'easy' | 'hard'
  /**
   * @minLength 3
   * @maxLength 20
   * @pattern ^[a-z]+$
   */
  title?: string | undefined
  /**
   * The cabinets that it runs on, by name.
   *
   * @listType map
   * @listMapKey name
   * @maxItems 8
   */
  cabinets?: readonly Cabinet[]
  labels?: Record<string, Label>
  memory?: Quantity
  port?: IntOrString
  timeout?: Duration
  deadline?: Timestamp | null
  /** @optional */
  contact: { mail: string } | { phone: string }
  extra?: unknown
  /** @enum red, green */
  color?: string
}

/** A cabinet. */
interface Cabinet {
  name: string
  /** @format ipv4 */
  address?: string
}

/** @maxLength 63 */
type Label = string

interface GameStatus {
  ready?: int
  best?: int64
}
