import { readFileSync } from 'node:fs'
import { WorkQueue } from '@wherry/work-queue'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { definitions } from './definitions.ts'
import { prometheusMetrics } from './prometheus.ts'

const own = { processMetrics: false }
const linesOf = async (metrics: { text(): Promise<string> }, name: string) =>
  (await metrics.text()).split('\n').filter(line => line.startsWith(name) && !line.includes('_bucket'))

it('C8: the names and labels are those that dashboards know', async () => {
  const listed = readFileSync(new URL('./names.txt', import.meta.url), 'utf8')
  const there = Object.entries(definitions).map(([name, { kind, labels }]) => `${kind} ${name}{${labels.join(',')}}`)
  expect(`${there.sort().join('\n')}\n`).toBe(listed)
  const types = (await (await prometheusMetrics(own)).text()).split('\n').filter(line => line.startsWith('# TYPE'))
  expect(types).toHaveLength(there.length)
})

it('C8: shows what was measured, under the labels that controller-runtime has', async () => {
  const metrics = await prometheusMetrics(own)
  metrics.count('rest_client_requests_total', { method: 'GET', host: 'h', code: '200' })
  metrics.count('rest_client_requests_total', { method: 'GET', host: 'h', code: '200' }, 2)
  metrics.observe('rest_client_request_duration_seconds', 0.03, { verb: 'GET', host: 'h' })
  metrics.gauge('leader_election_master_status', 1, { name: 'l' })
  metrics.count('mine_total', { a: 'b' })
  expect(await linesOf(metrics, 'rest_client')).toEqual([
    'rest_client_requests_total{method="GET",host="h",code="200"} 3',
    'rest_client_request_duration_seconds_sum{verb="GET",host="h"} 0.03',
    'rest_client_request_duration_seconds_count{verb="GET",host="h"} 1',
  ])
  expect(await linesOf(metrics, 'leader_election_master')).toEqual(['leader_election_master_status{name="l"} 1'])
  expect(await linesOf(metrics, 'mine_total')).toEqual(['mine_total{a="b"} 1'])
  expect(() => metrics.gauge('mine_total', 1, { other: 'x' })).toThrow()
})

it('C8: a queue is measured as controller-runtime measures one', async () => {
  const metrics = await prometheusMetrics(own)
  let now = 0
  const clock = { now: () => now, monotonic: () => now, timer: () => ({ cancel: () => {} }), turn: async () => {} }
  const queue = new WorkQueue({ clock, observer: metrics.queueObserver('game') })
  const end = metrics.queue('game', queue)
  queue.add('a')
  queue.add('b')
  queue.add('low', { priority: -100 })
  // Also for a program that reads the registry itself.
  expect(await metrics.registry.metrics()).toContain('workqueue_depth{name="game",controller="game",priority="0"} 2')
  now = 500
  const key = queue.tryTake() as string
  now = 2500
  expect(await linesOf(metrics, 'workqueue')).toEqual([
    'workqueue_adds_total{name="game",controller="game"} 3',
    'workqueue_depth{name="game",controller="game",priority="0"} 1',
    'workqueue_depth{name="game",controller="game",priority="-100"} 1',
    'workqueue_longest_running_processor_seconds{name="game",controller="game"} 2',
    'workqueue_queue_duration_seconds_sum{name="game",controller="game"} 0.5',
    'workqueue_queue_duration_seconds_count{name="game",controller="game"} 1',
    'workqueue_retries_total{name="game",controller="game"} 0',
    'workqueue_unfinished_work_seconds{name="game",controller="game"} 2',
  ])
  queue.addRateLimited(key)
  queue.done(key)
  expect(await linesOf(metrics, 'workqueue_work')).toEqual([
    'workqueue_work_duration_seconds_sum{name="game",controller="game"} 2',
    'workqueue_work_duration_seconds_count{name="game",controller="game"} 1',
  ])
  expect(await linesOf(metrics, 'workqueue_retries')).toEqual([
    'workqueue_retries_total{name="game",controller="game"} 1',
  ])
  for (let next = queue.tryTake(); next !== undefined; next = queue.tryTake()) queue.done(next)
  expect(await linesOf(metrics, 'workqueue_depth')).toEqual([
    'workqueue_depth{name="game",controller="game",priority="0"} 0',
    'workqueue_depth{name="game",controller="game",priority="-100"} 0',
  ])
  expect(() => metrics.queue('game', queue)).toThrow(expect.objectContaining({ option: 'queue.controller' }))
  end()
  end()
  expect(await linesOf(metrics, 'workqueue_depth')).toEqual([])
  await queue.stop()
})

it('C8: does not show removed gauges', async () => {
  const metrics = await prometheusMetrics(own)
  for (const view of ['a', 'b']) metrics.gauge('wherry_cache_synced', 1, { view })
  metrics.forget?.('wherry_cache_synced', { view: 'a' })
  metrics.forget?.('never_measured', { view: 'a' })
  expect(await linesOf(metrics, 'wherry_cache_synced')).toEqual(['wherry_cache_synced{view="b"} 1'])
})

it('uses the registry given, and measures the process where asked to', async () => {
  const registry = new Registry()
  const metrics = await prometheusMetrics({ registry })
  expect(metrics.registry).toBe(registry)
  expect(await registry.metrics()).toContain('process_resident_memory_bytes')
  expect(metrics.contentType).toBe(registry.contentType)
})

it('X6: names a wrong option', async () => {
  await expect(prometheusMetrics({ registry: {} as never })).rejects.toMatchObject({ option: 'prometheus.registry' })
  await expect(prometheusMetrics({ processMetrics: 1 as never })).rejects.toMatchObject({
    option: 'prometheus.processMetrics',
  })
  await expect(prometheusMetrics({ port: 1 } as never)).rejects.toMatchObject({ option: 'prometheus.port' })
  const metrics = await prometheusMetrics(own)
  expect(() => metrics.queueObserver('')).toThrow(expect.objectContaining({ option: 'queueObserver.controller' }))
  expect(() => metrics.queue('q', {} as never)).toThrow(expect.objectContaining({ option: 'queue' }))
})
