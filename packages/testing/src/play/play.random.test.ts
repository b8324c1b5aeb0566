import { chance, integer, startEmbeddedApiServer } from '@wherry/apiserver'
import { expect, it } from 'vitest'
import { forEachSeed } from '../simulate/seeds.ts'
import { simulate } from '../simulate/simulate.ts'
import type { PlayOptions } from './options.ts'
import { play } from './play.ts'
import { conditionsOf, type Played, podSpec, User } from './testkit/cluster.ts'

const labels = { app: 'any' }
const image = (of: number): string => `registry.example.com/main:${of}`
const template = (of: number) => ({ metadata: { labels }, spec: { containers: [{ name: 'main', image: image(of) }] } })
const workloads = ['deployments', 'replicasets', 'statefulsets', 'jobs'] as const

it('whatever users do, workloads settle to what their controllers would state', () =>
  forEachSeed(
    async seed => {
      const simulation = simulate(seed)
      const random = simulation.random.fork('users')
      /** How many Pods of each Job fail before others succeed. */
      const failures = new Map<string, number>()
      const seen = new Map<string, number>()
      const pods: PlayOptions['pods'] = ({ metadata }) => {
        const owner = metadata.ownerReferences?.[0]
        const readyAfterMs = integer(random, 0, 3) * 700
        if (owner?.kind !== 'Job') return { readyAfterMs, stopsAfterMs: integer(random, 0, 2) * 1500 }
        const before = seen.get(owner.name) ?? 0
        seen.set(owner.name, before + 1)
        const ends = before < (failures.get(owner.name) ?? 0) ? 'fail' : 'succeed'
        return { readyAfterMs, ends, endsAfterMs: integer(random, 0, 2000) }
      }
      await simulation.run(async () => {
        const { clock } = simulation
        const server = await startEmbeddedApiServer({ sockets: false, clock, random: simulation.random.fork('server') })
        const player = await play(server, { pods, jobs: true, deployments: true, statefulSets: true })
        const user = new User(server)
        const jobs = new Map<
          string,
          { readonly limit: number; readonly completions: number; readonly parallelism: number }
        >()
        const scaled = new Map<string, { plural: string; name: string; replicas: number; image: number }>()
        for (let step = 0; step < 15; step++) {
          const replicas = integer(random, 0, 5)
          const plural =
            (['deployments', 'replicasets', 'statefulsets', 'jobs'] as const)[integer(random, 0, 3)] ?? 'jobs'
          const name = `${plural.slice(0, 1)}${step}`
          if (chance(random, 0.5) || scaled.size === 0) {
            if (plural === 'jobs') {
              const [limit, completions, parallelism] = [
                integer(random, 0, 3),
                integer(random, 1, 4),
                integer(random, 1, 3),
              ]
              failures.set(name, integer(random, 0, 5))
              jobs.set(name, { limit, completions, parallelism })
              const completionMode = chance(random, 0.5) ? 'Indexed' : 'NonIndexed'
              const spec = { ...podSpec, restartPolicy: 'Never' }
              await user.create('jobs', name, {
                ...{ backoffLimit: limit, completions, parallelism, completionMode },
                template: { spec },
              })
            } else {
              // Each has Pods of its own.
              const own = {
                selector: { matchLabels: { ...labels, name } },
                template: { ...template(1), metadata: { labels: { ...labels, name } } },
              }
              const serviceName = plural === 'statefulsets' ? { serviceName: 'any' } : {}
              await user.create(plural, name, { ...own, ...serviceName, replicas })
              scaled.set(name, { plural, name, replicas, image: 1 })
            }
          } else {
            const one = [...scaled.values()][integer(random, 0, scaled.size - 1)]
            if (one === undefined) continue
            if (chance(random, 0.4)) one.replicas = replicas
            else if (one.plural !== 'replicasets') one.image += 1
            const change = { spec: { containers: [{ name: 'main', image: image(one.image) }] } }
            await user.patch(one.plural, one.name, {
              spec: { replicas: one.replicas, ...(one.plural !== 'replicasets' && { template: change }) },
            })
            const some = (await user.list('pods')).filter(pod => pod.metadata.ownerReferences?.[0]?.kind !== 'Job')
            const victim = some[integer(random, 0, Math.max(0, some.length - 1))]
            if (victim !== undefined && chance(random, 0.3))
              await user.delete('pods', victim.metadata.name).catch(() => undefined)
          }
          await simulation.advance(integer(random, 0, 3000))
          for (const kind of workloads) for (const object of await user.list(kind)) checkAlways(object)
        }
        await simulation.advance(600_000)
        await player.settled()
        const all = await user.list('pods')
        for (const { plural, name, replicas, image: last } of scaled.values()) {
          const object = await user.get(plural, name)
          expect([name, object.status.replicas ?? 0, object.status.readyReplicas ?? 0]).toEqual([
            name,
            replicas,
            replicas,
          ])
          expect(object.status.observedGeneration).toBe(object.metadata.generation)
          const own = all.filter(pod => pod.metadata.labels?.name === name)
          expect(own.map(pod => pod.spec.containers[0].image)).toEqual(own.map(() => image(last)))
          expect(own).toHaveLength(replicas)
        }
        for (const [name, { limit, completions, parallelism }] of jobs) {
          const job = await user.get('jobs', name)
          const planned = failures.get(name) ?? 0
          if (conditionsOf(job).includes('Complete=True CompletionsReached')) {
            expect([name, job.status.succeeded]).toEqual([name, completions])
            expect(job.status.failed ?? 0).toBe(Math.min(planned, seen.get(name) ?? 0))
          } else {
            expect(conditionsOf(job)).toContain('Failed=True BackoffLimitExceeded')
            expect(job.status.failed).toBeGreaterThan(limit)
            expect(job.status.failed).toBeLessThanOrEqual(limit + parallelism)
            expect(planned).toBeGreaterThan(limit)
          }
          expect(job.status.active).toBeUndefined()
        }
        const sets = await user.list('replicasets')
        const owners = [...sets, ...(await user.list('statefulsets')), ...(await user.list('jobs'))]
        const uids = new Set(owners.map(({ metadata }) => metadata.uid))
        for (const { metadata } of all) {
          expect(metadata.ownerReferences).toHaveLength(1)
          expect(metadata.ownerReferences?.[0]).toMatchObject({ controller: true, blockOwnerDeletion: true })
          expect(uids).toContain(metadata.ownerReferences?.[0]?.uid)
        }
        await player.close()
        await server.close()
        await simulation.advance(10)
      })
      expect(simulation.pending()).toEqual([])
    },
    { seeds: 10 },
  ))

/** What holds at any time. */
function checkAlways({ metadata, spec, status = {} }: Played): void {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = status
  const { active = 0, ready = 0, succeeded = 0 } = status
  const where = JSON.stringify({ name: metadata.name, status })
  expect(readyReplicas, where).toBeLessThanOrEqual(replicas)
  expect(availableReplicas, where).toBeLessThanOrEqual(readyReplicas)
  expect(updatedReplicas, where).toBeLessThanOrEqual(replicas)
  expect(observedGeneration, where).toBeLessThanOrEqual(metadata.generation ?? 0)
  expect(ready, where).toBeLessThanOrEqual(active)
  if (spec.parallelism !== undefined) expect(active, where).toBeLessThanOrEqual(spec.parallelism)
  if (spec.completions !== undefined) expect(succeeded, where).toBeLessThanOrEqual(spec.completions)
}
