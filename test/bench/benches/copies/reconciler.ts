import type { Client } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { type CopyCache, CopyReconciler, type CopyReconcilerOptions } from '@wherry/hash-compare'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { eventCost } from './event-cost.ts'
import { content, type Keeper, measureCopies, sources, type Wants } from './measure.ts'

export type Mode = NonNullable<CopyReconcilerOptions<ConfigMap, ConfigMap>['mode']>

/** Ours, in the mode that `options.mode` names. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const mode = context.options.mode as Mode
  const figures = await measureCopies(context, (client, wants) => keeper(client, mode, wants))
  // What stands on copies is written by a reconciler: scripted ones have nothing.
  if (mode === 'annotations') return figures
  return { ...figures, event_us_100: await eventCost(100, mode), event_us_10000: await eventCost(10_000, mode) }
}

/** The same copies for all measurements. */
export function optionsOf(client: Client, cache: CopyCache, mode: Mode): CopyReconcilerOptions<ConfigMap, ConfigMap> {
  return {
    name: 'bench',
    client,
    cache,
    source: sources,
    copies: configMaps,
    targets: 'tenant',
    build: ({ metadata, data }) => ({ metadata: { labels: metadata?.labels }, data: data ?? {} }),
    parts: content,
    mode,
    concurrency: 20,
  }
}

function keeper(client: Client, mode: Mode, wants: Wants): Keeper {
  const cache = new DynamicCache({ client })
  const reconciler = new CopyReconciler({ ...optionsOf(client, cache, mode), name: `bench-${wants}`, targets: wants })
  reconciler.start()
  return {
    settled: () => reconciler.settled(),
    resync: () => {
      reconciler.resync()
      return reconciler.settled()
    },
    close: async () => {
      await reconciler.close()
      await cache.close()
    },
  }
}
