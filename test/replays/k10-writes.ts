import { replicaSets } from '@wherry/client/resources/apps'
import { configMaps } from '@wherry/client/resources/core'
import type { HourReplay } from './harness/hour.ts'

/** Writes that a reconcile makes whatever is there: each is an event, and the event runs the reconcile. */
export const writes: readonly HourReplay[] = [
  {
    id: 'K10',
    title: 'restate-operator: an owned ReplicaSet, applied at each run',
    thread: 'https://github.com/restatedev/restate-operator/issues/138',
    theirs: '8 runs a second, 30,000 writes an hour',
    objects: 1,
    declare: builder => builder.owns(replicaSets),
    reconcile: async ({ key, apply }) => {
      const labels = { app: key.name }
      await apply(replicaSets, {
        metadata: { name: `${key.name}-old`, annotations: { 'example.com/draining': 'true' } },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            // A quantity that the server stores in another form.
            spec: { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '1000m' } } }] },
          },
        },
      })
      return undefined
    },
  },
  {
    id: 'K10',
    title: 'grid: a ConfigMap and a status with the time of rendering',
    thread: 'https://github.com/praxis-proxy/grid/pull/45',
    theirs: '250 to 300 ConfigMap writes and 13 to 14 status writes a second',
    objects: 1,
    ignoreTimes: ['renderedAt'],
    declare: builder => builder.owns(configMaps),
    reconcile: async ({ key, apply, status }, now) => {
      await apply(configMaps, { metadata: { name: `${key.name}-overlay` }, data: { routes: 'a b c' } })
      await status({ phase: 'Rendered', renderedAt: now })
      return undefined
    },
  },
  {
    id: 'K10',
    title: 'evenfire: every object applied every minute',
    thread: 'evenfire#460',
    theirs: '16,668 writes an hour, 1,275 once each was read before',
    objects: 139,
    looksAgain: true,
    reconcile: async ({ key, apply }) => {
      for (const part of ['a', 'b'])
        await apply(configMaps, { metadata: { name: `${key.name}-${part}` }, data: { part } })
      return { requeueAfterMs: 60_000 }
    },
  },
]
