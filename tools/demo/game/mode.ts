import type { Game } from './game.ts'
import type { World } from './reconcile.ts'

/** How an operator reaches the API server. Plain data, since it is sent from process to process. */
export interface Address {
  readonly url: string
  /** PEM; absent on plain http, and where the machine trusts the server already. */
  readonly ca?: string | undefined
  readonly token?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** The name that the server's certificate bears, where `url` has another. */
  readonly tlsServerName?: string | undefined
}

/** What a mode is given. */
export interface Surroundings {
  readonly address: Address
  /** The namespace of all that the demo made: no operator looks beyond it. */
  readonly namespace: string
  /** Runs the reconcile function, and notes what came of it. */
  reconcile(game: Game, world: World): Promise<void>
  /** Called with what went wrong in the background. */
  onError(error: Error): void
}

/** A module of `modes/`: one way to run the same operator. */
export interface Mode {
  /** Starts the operator. Gives what ends it. */
  start(around: Surroundings): Promise<() => Promise<void>>
}

/** The ways, in the order in which they are played. */
export const modes = ['idle', 'client-node', 'live', 'wherry-full', 'wherry-metadata', 'narrow'] as const

/** All ways: the last one is played by the bench alone. */
export const measuredModes: readonly ModeName[] = [...modes, 'owned']

export type ModeName = (typeof modes)[number] | 'owned'

/** Each in a few words. */
export const modeTexts: Readonly<Record<ModeName, { readonly title: string; readonly how: string }>> = {
  idle: { title: 'idle', how: 'the imports of the last one, connected, reads nothing' },
  'client-node': { title: 'client-node informers', how: 'informers of @kubernetes/client-node on both kinds' },
  live: { title: 'live reads', how: 'asks the server for both objects every two seconds, keeps nothing' },
  'wherry-full': { title: 'Wherry, full informers', how: 'informers on both kinds, whole objects' },
  'wherry-metadata': { title: 'Wherry, metadata', how: 'informers of metadata, and a live read of what has changed' },
  narrow: { title: 'Wherry, narrow', how: 'tracked reads: watches the two objects that it read, by name' },
  owned: {
    title: 'Wherry, narrow, with an owned object',
    how: 'the same; applies its status and an object that it owns',
  },
}
