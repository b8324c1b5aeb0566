import type { Client } from '@wherry/client'
import type { Shard } from './controller-shard.ts'
import type { ShardSettings } from './options.ts'
import { readRing } from './ring.ts'
import { RingShard } from './ring-shard.ts'
import { UidShard } from './uid-shard.ts'

/** Makes a shard. Reads its ring if it has one. Rejects as {@link readRing} does. */
export async function startShard(settings: ShardSettings, client: Client, signal: AbortSignal): Promise<Shard> {
  if (settings.ring === undefined) return new UidShard(settings, client)
  return new RingShard(settings, await readRing(client, settings.ring, settings.retryMs, signal))
}
