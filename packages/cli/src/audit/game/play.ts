import { ApiError, Client, type ClusterAccess } from '@wherry/client'
import { sleep, systemClock } from '@wherry/client/internal'
import { namespaces, serviceAccounts } from '@wherry/client/resources/core'
import { oneLine } from '../../one-line.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Received } from '../ledger/received.ts'
import type { MemorySamples } from '../process/memory-samples.ts'
import { gameObjects } from './game-objects.ts'
import { type GameOptions, gameKinds } from './game-options.ts'

/** The objects of the game that a program received, although it should not need them, and the memory that they cost it. */
export interface GameReport {
  readonly namespace: string
  readonly counts: GameOptions['counts']
  readonly received: ReturnType<Received['all']>
  readonly rssBeforeBytes: number
  /** The maximum since the measurement before the game. */
  readonly rssMostBytes: number
  readonly rssAfterBytes: number
  readonly maxGrowthBytes: number
}

/** The server and the program that the game is played with. */
export interface GameStage {
  readonly access: ClusterAccess
  readonly received: Received
  readonly ledger: Ledger
  readonly samples: MemorySamples
  /** The time without a request before and after the game, in milliseconds. */
  readonly restMs: number
  /** Ends the game. Its namespace is deleted then, too. */
  readonly signal: AbortSignal
  /** Ends the deletion of the namespace, which may be left then. */
  readonly hurry: AbortSignal
  /** Writes a line for the user. */
  say(line: string): void
  /** Returns the command by which the user deletes a namespace. `undefined`: the server leaves nothing. */
  deletion(namespace: string): string | undefined
}

/** How many objects are made at a time. */
const atATime = 8
/** How long a cluster may take to make the ServiceAccount of a new namespace, in milliseconds. Until then, the server refuses Pods. */
const accountMs = 10_000
/** How long a server may take to empty a namespace, in milliseconds. */
const removalMs = 300_000

/**
 * Waits until the program rests, adds objects in a namespace of the game and removes them, and waits again. When the promise settles, the namespace is
 * deleted; if that failed, or `hurry` was aborted, a line for the user names the namespace.
 */
export async function play(options: GameOptions, stage: GameStage): Promise<GameReport> {
  const { access, received, ledger, samples, restMs, signal } = stage
  const { counts, sizeBytes, maxGrowthBytes } = options
  const { namespace } = received
  // The game uses its own connections, so the proxy does not count its requests.
  await using client = new Client({ access })
  const objects = gameObjects(namespace, sizeBytes)
  await untilRest(ledger, restMs, signal)
  const before = await samples.now()
  await inNamespace(client, stage, async () => {
    if (counts.pods > 0) await hasAccount(client, namespace, signal)
    for (const kind of gameKinds) {
      const create = (at: number): Promise<unknown> => objects[kind].create(client, at, signal)
      for (let at = 0; at < counts[kind]; at += atATime)
        await Promise.all(Array.from({ length: Math.min(atATime, counts[kind] - at) }, (_, next) => create(at + next)))
      await samples.now()
    }
    for (const kind of gameKinds) await objects[kind].deleteAll(client, signal)
  })
  // Requests that the deletions cause belong to the game, so the rest begins now.
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

/** Makes the namespace of the game, runs `run`, and deletes the namespace, whether `run` fails or not. */
async function inNamespace(client: Client, stage: GameStage, run: () => Promise<void>): Promise<void> {
  const { namespace } = stage.received
  // Not stopped by `signal`, because the server could handle a creation that is cut off after the deletion.
  await client.create(namespaces, { metadata: { name: namespace } }, { signal: stage.hurry }).catch(async error => {
    // A server that refuses the namespace has made none.
    if (!(error instanceof ApiError && error.status < 500)) await deleteNamespace(client, stage)
    throw error
  })
  let failure: Error | undefined
  try {
    await run()
  } finally {
    failure = await deleteNamespace(client, stage)
  }
  if (failure !== undefined) throw failure
}

/** Deletes the namespace of the game, and resolves when it is gone. If it may be left, writes a line for the user, and resolves with the reason. */
async function deleteNamespace(client: Client, stage: GameStage): Promise<Error | undefined> {
  const { signal, hurry, say } = stage
  const name = stage.received.namespace
  const deletion = stage.deletion(name)
  try {
    await client.delete(namespaces, { name }, { signal: hurry })
    if (signal.aborted && deletion !== undefined)
      say(`the namespace ${name} is being deleted: another Ctrl+C ends the audit at once`)
    const isGone = (found: unknown): boolean => found === undefined
    await client.waitFor(namespaces, { name }, isGone, { timeoutMs: removalMs, signal: hurry })
    return undefined
  } catch (error) {
    const failure = error as Error
    if (deletion !== undefined)
      say(`the namespace ${name} may be left (${oneLine(failure.message)}): delete it with ${deletion}`)
    return failure
  }
}

/**
 * Resolves when the namespace has its ServiceAccount, which Pods need. Also resolves after a time, because a server without the ServiceAccount controller
 * makes no account, and accepts Pods without it.
 */
async function hasAccount(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  const isThere = (account: unknown): boolean => account !== undefined
  const key = { namespace, name: 'default' }
  await client.waitFor(serviceAccounts, key, isThere, { timeoutMs: accountMs, signal }).catch(() => {
    signal.throwIfAborted()
  })
}

/** Resolves when the program has sent no request for `restMs`. */
async function untilRest(ledger: Ledger, restMs: number, signal: AbortSignal): Promise<void> {
  for (let left = ledger.restsIn(restMs); left > 0; left = ledger.restsIn(restMs))
    await sleep(systemClock(), left, signal)
}
