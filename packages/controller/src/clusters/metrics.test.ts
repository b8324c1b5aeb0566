import type { MetricLabels, Metrics } from '@wherry/client'
import { simulate } from '@wherry/testing'
import { WorkQueue } from '@wherry/work-queue'
import { expect, it } from 'vitest'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import type { ClustersOptions } from './clusters.ts'
import { JointQueues, SummedMetrics } from './summed-metrics.ts'
import { inFleet, watched } from './testkit/fleet.ts'

it('sums gauges over the clusters, and forgets a gauge that no cluster has', () => {
  const said: unknown[] = []
  const home: Metrics = {
    count: (...args) => void said.push(['count', ...args]),
    observe: (...args) => void said.push(['observe', ...args]),
    gauge: (name, value, labels) => void said.push([name, value, labels]),
    forget: (name, labels) => void said.push(['forget', name, labels]),
  }
  const sums = new SummedMetrics(home)
  const [a, b] = [sums.cluster(), sums.cluster()]
  const labels = (view: string): MetricLabels => ({ view })
  a.gauge('objects', 3, labels('x'))
  b.gauge('objects', 4.1, labels('x'))
  a.gauge('objects', 5, labels('x'))
  a.gauge('objects', 1, labels('y'))
  a.gauge('reflector_last_resource_version', 100, { name: 'x' })
  a.end()
  b.forget?.('objects', labels('x'))
  b.forget?.('objects', labels('x'))
  b.count('requests', { host: 'b.example.com', code: '200' })
  b.observe('seconds', 1, { host: 'b.example.com' })
  expect(said).toEqual([
    ['objects', 3, { view: 'x' }],
    ['objects', 7.1, { view: 'x' }],
    ['objects', 9.1, { view: 'x' }],
    ['objects', 1, { view: 'y' }],
    ['objects', 4.1, { view: 'x' }],
    ['forget', 'objects', { view: 'y' }],
    ['forget', 'objects', { view: 'x' }],
    ['count', 'requests', { host: 'clusters', code: '200' }, undefined],
    ['observe', 'seconds', 1, { host: 'clusters' }],
  ])
})

it('shows the queues of one controller in several clusters as one', async () => {
  const { clock } = simulate(1)
  const metrics = await prometheusMetrics({ processMetrics: false })
  const queues = new JointQueues(metrics)
  const sums = new SummedMetrics(metrics)
  const made = [1, 2].map(count => {
    const queue = new WorkQueue<string>({ clock })
    for (let n = 0; n < count; n += 1) queue.add(`key ${n}`)
    return queues.over(sums.cluster()).queue('game', queue)
  })
  const depth = async (): Promise<string | undefined> =>
    (await metrics.text()).split('\n').find(line => line.startsWith('workqueue_depth{'))
  expect(await depth()).toBe('workqueue_depth{name="game",controller="game",priority="0"} 3')
  made[1]?.()
  expect(await depth()).toBe('workqueue_depth{name="game",controller="game",priority="0"} 1')
  made[0]?.()
  expect(await depth()).toBe('workqueue_depth{name="game",controller="game",priority="0"} 0')
})

it('M2: counts clusters by their state, and no metric has a label for the cluster', async () => {
  const metrics = await prometheusMetrics({ processMetrics: false })
  const lines = async (start: string): Promise<string[]> =>
    (await metrics.text()).split('\n').filter(line => line.startsWith(start) && !line.endsWith(' 0'))
  await inFleet(
    ['a', 'b', 'c'],
    async fleet => {
      const { simulation } = fleet
      const declare: ClustersOptions['declare'] = operator => {
        operator
          .controller('config')
          .for(watched)
          .reconcile(() => {})
      }
      fleet.operate(declare, { home: { metrics } })
      fleet.site('c').network.controls.refuse(true)
      for (const name of ['a', 'b', 'c']) await fleet.secret(name)
      for (const name of ['a', 'b']) await fleet.write(name, 'one')
      await fleet.write('b', 'two')
      await simulation.advance(25_000)
      expect(await lines('wherry_clusters')).toEqual([
        'wherry_clusters{state="starting"} 1',
        'wherry_clusters{state="running"} 2',
      ])
      expect(await lines('controller_runtime_reconcile_total')).toEqual([
        'controller_runtime_reconcile_total{controller="config",result="success"} 3',
      ])
      expect(await lines('wherry_cache_objects')).toEqual([expect.stringMatching(/configmaps.*"} 3$/)])
      // A cluster that is only read takes one connection.
      expect(['a', 'b'].map(name => fleet.site(name).network.controls.connections().length)).toEqual([1, 1])
      const hosts = new Set([...(await metrics.text()).matchAll(/host="([^"]*)"/g)].map(([, host]) => host))
      expect(hosts).toEqual(new Set(['clusters', 'embedded.wherry.invalid']))
      for (const name of ['a', 'b', 'c']) await fleet.forget(name)
      await simulation.advance(25_000)
      expect([...(await lines('wherry_clusters')), ...(await lines('wherry_cache_objects'))]).toEqual([])
    },
    7,
    { metrics },
  )
})
