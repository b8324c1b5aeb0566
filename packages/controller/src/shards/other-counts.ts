import type { Client } from '@wherry/client'
import { asError, sleep } from '@wherry/client/internal'
import { type Lease, leases } from '@wherry/client/resources/coordination'
import { countLabel, shardsLabel, type UidSettings } from './options.ts'

/**
 * Resolves when no process works with another number of shards, because it would have keys of this process too. The lease of such a process counts as dead if
 * it stays unchanged for its own duration. The caller holds its own lease, which has the labels: of two processes that start at the same time, at least one
 * sees the other's.
 */
export async function noOtherCount(
  { election, retryMs, count }: UidSettings,
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, onError } = client.environment
  const { namespace, labels } = election
  const others = leases.within({
    namespaces: [namespace],
    labels: `${shardsLabel}=${labels[shardsLabel]},${countLabel}!=${count}`,
  })
  const seen = new Map<string, { readonly version: string; readonly since: number }>()
  let reported = ''
  for (;;) {
    try {
      const { items } = await client.list(others, { signal })
      const now = clock.monotonic()
      const working = items.filter(lease => isHeld(lease) && isAlive(lease, seen, now))
      if (working.length === 0) return
      const names = working.map(({ metadata: { name } }) => name).sort()
      if (names.join() !== reported) {
        reported = names.join()
        log('info', 'waits until no process works with another number of shards', { shards: count, leases: names })
      }
    } catch (error) {
      signal.throwIfAborted()
      onError(asError(error), { phase: 'shards', resource: 'coordination.k8s.io/v1/leases' })
    }
    await sleep(clock, retryMs, signal)
  }
}

function isHeld({ spec }: Lease): boolean {
  return (spec?.holderIdentity ?? '') !== ''
}

/** Whether a lease was seen to change within its duration. */
function isAlive(
  { metadata, spec }: Lease,
  seen: Map<string, { readonly version: string; readonly since: number }>,
  now: number,
): boolean {
  const { name = '', resourceVersion: version = '' } = metadata ?? {}
  const last = seen.get(name)
  if (last === undefined || last.version !== version) seen.set(name, { version, since: now })
  const since = last?.version === version ? last.since : now
  return now - since <= (spec?.leaseDurationSeconds ?? 15) * 1000
}
