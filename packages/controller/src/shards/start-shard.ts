import type { Client } from '@wherry/client'
import type { ShardSettings } from './options.ts'
import { readRing } from './ring.ts'
import { Shard } from './shard.ts'

/** Reads the ring of a shard. Rejects as {@link readRing} does. */
export async function startShard(settings: ShardSettings, client: Client, signal: AbortSignal): Promise<Shard> {
  return new Shard(settings, await readRing(client, settings.ring, settings.retryMs, signal))
}
