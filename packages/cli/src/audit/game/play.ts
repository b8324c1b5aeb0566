import { Client, type ClusterAccess } from '@wherry/client'
import { sleep, systemClock } from '@wherry/client/internal'
import { namespaces } from '@wherry/client/resources/core'
import type { Ledger } from '../ledger/ledger.ts'
import type { Received } from '../ledger/received.ts'
import type { MemorySamples } from '../process/memory-samples.ts'
import { gameObjects } from './game-objects.ts'
import { type GameOptions, gameKinds } from './game-options.ts'

/** What a program received of objects that it should not care about, and what they cost it. */
export interface GameReport {
  readonly namespace: string
  readonly counts: GameOptions['counts']
  readonly received: ReturnType<Received['all']>
  readonly rssBeforeBytes: number
  /** The most from the first object on. */
  readonly rssMostBytes: number
  readonly rssAfterBytes: number
  readonly maxGrowthBytes: number
}

/** What the game plays against. */
export interface GameStage {
  readonly access: ClusterAccess
  readonly received: Received
  readonly ledger: Ledger
  readonly samples: MemorySamples
  /** For so long before and after the game the program asks for nothing, in milliseconds. */
  readonly restMs: number
  /** Ends the game. */
  readonly signal: AbortSignal
}

/** How many objects are made at a time. */
const atATime = 8
/** How long a server may take to empty a namespace, in milliseconds. */
const removalMs = 300_000

/** Waits until the program rests, adds objects in a namespace of the game and removes them, and waits again. The namespace is gone when it resolves or rejects. */
export async function play(options: GameOptions, stage: GameStage): Promise<GameReport> {
  const { access, received, ledger, samples, restMs, signal } = stage
  const { counts, sizeBytes, maxGrowthBytes } = options
  const { namespace } = received
  // The audit's own connections: the proxy counts nothing of the game but what the program receives.
  await using client = new Client({ access })
  const objects = gameObjects(namespace, sizeBytes)
  await untilRest(ledger, restMs, signal)
  const before = await samples.now()
  try {
    await client.create(namespaces, { metadata: { name: namespace } }, { signal })
    for (const kind of gameKinds) {
      const create = (at: number): Promise<unknown> => objects[kind].create(client, at, signal)
      for (let at = 0; at < counts[kind]; at += atATime)
        await Promise.all(Array.from({ length: Math.min(atATime, counts[kind] - at) }, (_, next) => create(at + next)))
      await samples.now()
    }
    for (const kind of gameKinds) await objects[kind].deleteAll(client)
  } finally {
    await client.delete(namespaces, { name: namespace })
    await client.waitFor(namespaces, { name: namespace }, found => found === undefined, { timeoutMs: removalMs })
  }
  // What the program asks for because of the game is a part of it.
  ledger.touch()
  await untilRest(ledger, restMs, signal)
  const after = await samples.now()
  return {
    ...{ namespace, counts, received: received.all(), maxGrowthBytes },
    rssBeforeBytes: before.rssBytes,
    rssMostBytes: samples.mostSince(before),
    rssAfterBytes: after.rssBytes,
  }
}

/** Resolves when the program has asked for something, and then for nothing for a while. */
async function untilRest(ledger: Ledger, restMs: number, signal: AbortSignal): Promise<void> {
  for (let left = ledger.restsIn(restMs); left > 0; left = ledger.restsIn(restMs))
    await sleep(systemClock(), left, signal)
}
