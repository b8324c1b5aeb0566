import type { ApiServer } from '@wherry/apiserver'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../real/testkit/available.ts'
import { eventually } from '../real/testkit/client.ts'
import { sharedRealServer } from '../real/testkit/shared.ts'
import { type Player, play } from './play.ts'
import { conditionsOf, type Played, podSpec, User } from './testkit/cluster.ts'

const available = await realApiServerAvailable('the test of a player against a real API server')

describe.skipIf(!available)('play on a real API server', () => {
  let server: ApiServer
  let user: User
  beforeAll(async () => {
    server = await sharedRealServer()
    user = new User(server)
  })

  const labels = { app: 'web' }
  const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }

  /** Resolves when the player and the server have come to the expected state. */
  async function until(
    player: Player,
    plural: string,
    name: string,
    isMet: (object: Played) => boolean,
  ): Promise<Played> {
    return eventually(async () => {
      await player.settled()
      return user.get(plural, name)
    }, isMet)
  }

  it('it takes the statuses of Pods, Deployments, StatefulSets, Jobs and claims, from the first to the last', async () => {
    const all = { pods: true, jobs: true, deployments: true, statefulSets: true, persistentVolumeClaims: true } as const
    await using player = await play(server, {
      ...all,
      pods: ({ metadata: { labels: of } }) =>
        of?.course === 'fail' ? { ends: 'fail', readyAfterMs: 20 } : { readyAfterMs: 20 },
    })
    const is = (condition: string) => (object: Played) => conditionsOf(object).includes(condition)
    await user.create('deployments', 'web', { ...workload, replicas: 2 })
    const web = await until(player, 'deployments', 'web', is('Progressing=True NewReplicaSetAvailable'))
    expect(web.status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 })
    expect(web.status.observedGeneration).toBe(web.metadata.generation)

    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claim }]
    await user.create('statefulsets', 'db', { ...workload, serviceName: 'db', replicas: 2, volumeClaimTemplates })
    const db = await until(player, 'statefulsets', 'db', ({ status }) => status.readyReplicas === 2)
    expect(db.status).toMatchObject({ currentReplicas: 2, updatedReplicas: 2, availableReplicas: 2 })
    expect((await user.get('persistentvolumeclaims', 'data-db-1')).status.phase).toBe('Bound')

    const spec = { ...podSpec, restartPolicy: 'Never' }
    await user.create('jobs', 'good', { template: { spec }, completions: 3, parallelism: 2, completionMode: 'Indexed' })
    const good = await until(player, 'jobs', 'good', is('Complete=True CompletionsReached'))
    expect(good.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' })
    await user.create('jobs', 'bad', { template: { metadata: { labels: { course: 'fail' } }, spec }, backoffLimit: 1 })
    const bad = await until(player, 'jobs', 'bad', is('Failed=True BackoffLimitExceeded'))
    expect(bad.status.failed).toBe(2)

    // The claims of Pods that are gone go too.
    await user.patch('statefulsets', 'db', { spec: { replicas: 0 } })
    await until(player, 'statefulsets', 'db', ({ status }) => (status.replicas ?? 0) === 0)
    for (const name of ['data-db-0', 'data-db-1']) await user.delete('persistentvolumeclaims', name)
    await eventually(
      async () => {
        await player.settled()
        return user.list('persistentvolumeclaims')
      },
      left => left.length === 0,
    )
  })
})
