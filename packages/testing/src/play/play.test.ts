import { type EmbeddedApiServer, startEmbeddedApiServer } from '@wherry/apiserver'
import { describe, expect, it } from 'vitest'
import { simulate } from '../simulate/simulate.ts'
import type { PlayOptions } from './options.ts'
import { type Player, play } from './play.ts'
import { conditionsOf, podSpec, User } from './testkit/cluster.ts'

interface Scene {
  readonly server: EmbeddedApiServer
  readonly player: Player
  readonly user: User
  advance(ms: number): Promise<void>
}

/** Runs a test in simulated time on a server on which this is played. */
async function played(options: PlayOptions, test: (scene: Scene) => Promise<void>): Promise<void> {
  const simulation = simulate(1, { limitMs: 100 * 86_400_000 })
  await simulation.run(async () => {
    const { clock, random } = simulation
    const server = await startEmbeddedApiServer({ sockets: false, clock, random: random.fork('server') })
    const player = await play(server, options)
    await test({ server, player, user: new User(server), advance: ms => simulation.advance(ms) })
    await player.close()
    await server.close()
    // What closed connections still had under way.
    await simulation.advance(10)
  })
  expect(simulation.pending()).toEqual([])
}

const labels = { app: 'web' }
const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }
const job = (restartPolicy = 'Never') => ({ template: { spec: { ...podSpec, restartPolicy } } })

describe('play: Pods', () => {
  it('a Pod gets a node, is ready after its time, and ends by its course', () =>
    played(
      { pods: { readyAfterMs: 1000, ends: 'fail', endsAfterMs: 5000, exitCode: 137, reason: 'OOMKilled' } },
      async ({ user, player, advance }) => {
        await user.create('pods', 'a', { ...podSpec, restartPolicy: 'Never' })
        await player.settled()
        const { spec, status } = await user.get('pods', 'a')
        expect(spec.nodeName).toBe('played-node')
        expect(status).toMatchObject({
          ...{ phase: 'Pending', startTime: '2026-01-01T00:00:00Z' },
          containerStatuses: [{ name: 'main', ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
        })
        await advance(1000)
        const running = await user.get('pods', 'a')
        expect(running.status).toMatchObject({
          ...{ phase: 'Running', podIP: '10.244.0.1', hostIP: '10.0.0.1' },
          containerStatuses: [{ ready: true, started: true, restartCount: 0, state: { running: {} } }],
        })
        expect(conditionsOf(running)).toEqual(
          expect.arrayContaining(['PodScheduled=True', 'Initialized=True', 'ContainersReady=True', 'Ready=True']),
        )
        await advance(5000)
        const ended = await user.get('pods', 'a')
        expect(ended.status).toMatchObject({
          phase: 'Failed',
          containerStatuses: [{ ready: false, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
        })
        expect(conditionsOf(ended)).toContain('Ready=False PodFailed')
      },
    ))

  it('a container that fails is restarted, each time later', () =>
    played({ pods: { ends: 'fail' } }, async ({ user, player, advance }) => {
      await user.create('pods', 'a', podSpec)
      await player.settled()
      const seen: unknown[] = []
      for (const ms of [0, 9000, 2000, 17_000, 4000]) {
        await advance(ms)
        const [{ restartCount, state, lastState }] = (await user.get('pods', 'a')).status.containerStatuses
        seen.push([restartCount, state.waiting?.reason, lastState.terminated?.exitCode])
      }
      const backingOff = (restarts: number) => [restarts, 'CrashLoopBackOff', 1]
      expect(seen).toEqual([backingOff(0), backingOff(0), backingOff(1), backingOff(1), backingOff(2)])
    }))

  it('a function chooses the course of each Pod, once', async () => {
    const asked: string[] = []
    const pods: PlayOptions['pods'] = ({ metadata: { name } }) => {
      asked.push(name)
      return { readyAfterMs: name === 'slow' ? Number.POSITIVE_INFINITY : 0 }
    }
    await played({ pods }, async ({ user, player, advance }) => {
      for (const name of ['slow', 'fast']) await user.create('pods', name, podSpec)
      await player.settled()
      await advance(86_000)
      const phases = (await user.list('pods')).map(({ metadata: { name }, status }) => `${name} ${status.phase}`)
      expect(phases).toEqual(['fast Running', 'slow Pending'])
    })
    expect(asked).toEqual(['slow', 'fast'])
  })

  it('a Pod that is deleted goes when its containers have stopped, at the latest after its grace period', () =>
    played({ pods: { stopsAfterMs: 20_000 } }, async ({ user, player, advance }) => {
      for (const [name, terminationGracePeriodSeconds] of [
        ['a', 30],
        ['b', 5],
      ] as const)
        await user.create('pods', name, { ...podSpec, terminationGracePeriodSeconds })
      await player.settled()
      for (const name of ['a', 'b']) await user.delete('pods', name)
      const names = async (): Promise<string[]> => (await user.list('pods')).map(({ metadata }) => metadata.name)
      const seen: string[][] = []
      for (const ms of [4000, 2000, 15_000]) {
        await advance(ms)
        seen.push(await names())
      }
      expect(seen).toEqual([['a', 'b'], ['a'], []])
    }))

  it('meets no faults of a test, is in no count, and goes on when all connections break', () =>
    played({ pods: true }, async ({ server, user, player, advance }) => {
      await server.faults.add({ match: { verb: 'update' }, effect: { kind: 'status', code: 500 } })
      await user.create('pods', 'a', podSpec)
      await player.settled()
      expect((await server.stats()).byVerb.update?.pods).toBeUndefined()
      await server.restart()
      await server.endWatches()
      await user.create('pods', 'b', podSpec)
      await advance(1000)
      expect((await user.list('pods')).map(({ status }) => status.phase)).toEqual(['Running', 'Running'])
    }))

  it('lists again when etcd was restored', () =>
    played({ pods: true }, async ({ server, user, player, advance }) => {
      await user.create('pods', 'old', podSpec)
      const before = await server.revision()
      for (const name of ['a', 'b', 'c']) await user.create('pods', name, podSpec)
      await player.settled()
      await server.restoreEtcd(before)
      await user.create('pods', 'a', podSpec)
      await advance(1000)
      expect((await user.list('pods')).map(({ metadata: { name }, status }) => [name, status.phase])).toEqual([
        ['a', 'Running'],
        ['old', 'Running'],
      ])
    }))
})

describe('play: Jobs', () => {
  it('a Job makes its Pods, and completes', () =>
    played({ pods: { readyAfterMs: 1000 }, jobs: true }, async ({ user, player, advance }) => {
      await user.create('jobs', 'a', { ...job(), parallelism: 2, completions: 3 })
      await player.settled()
      expect((await user.get('jobs', 'a')).status).toMatchObject({ active: 2, ready: 0, startTime: expect.any(String) })
      await advance(10_000)
      const done = await user.get('jobs', 'a')
      expect(done.status).toMatchObject({ succeeded: 3, completionTime: '2026-01-01T00:00:02Z' })
      expect(done.status.active).toBeUndefined()
      expect(conditionsOf(done)).toEqual([
        'SuccessCriteriaMet=True CompletionsReached',
        'Complete=True CompletionsReached',
      ])
      const pods = await user.list('pods')
      expect(pods).toHaveLength(3)
      for (const { metadata } of pods) {
        expect(metadata.name).toMatch(/^a-[a-z0-9]{5}$/)
        expect(metadata.ownerReferences).toEqual([
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            name: 'a',
            uid: done.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ])
        expect(metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-name': 'a' })
      }
    }))

  it('a Job fails when more Pods have failed than backoffLimit', () =>
    played({ pods: { ends: 'fail' }, jobs: true }, async ({ user, player }) => {
      await user.create('jobs', 'a', { ...job(), backoffLimit: 2 })
      await player.settled()
      const failed = await user.get('jobs', 'a')
      expect(failed.status.failed).toBe(3)
      expect(conditionsOf(failed)).toEqual([
        'FailureTarget=True BackoffLimitExceeded',
        'Failed=True BackoffLimitExceeded',
      ])
    }))

  it('a Job that restarts its containers fails after `backoffLimit` restarts', () =>
    played({ pods: { ends: 'fail' }, jobs: true }, async ({ user, player, advance }) => {
      await user.create('jobs', 'a', { ...job('OnFailure'), backoffLimit: 1 })
      await player.settled()
      expect(conditionsOf(await user.get('jobs', 'a'))).toEqual([])
      await advance(30_000)
      expect(conditionsOf(await user.get('jobs', 'a'))).toContain('Failed=True BackoffLimitExceeded')
      expect(await user.list('pods')).toEqual([])
    }))

  it('a Job ends at its deadline, and goes after its time', () =>
    played({ pods: { ends: 'never' }, jobs: true }, async ({ user, advance }) => {
      await user.create('jobs', 'a', { ...job(), activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100 })
      await advance(61_000)
      expect(conditionsOf(await user.get('jobs', 'a'))).toContain('Failed=True DeadlineExceeded')
      expect(await user.list('pods')).toEqual([])
      await advance(100_000)
      expect(await user.list('jobs')).toEqual([])
    }))

  it('a Job goes after its time, be it months', () =>
    played({ pods: true, jobs: true }, async ({ user, advance }) => {
      const days = 60
      await user.create('jobs', 'backup', { ...job(), ttlSecondsAfterFinished: days * 86_400 })
      await advance((days - 1) * 86_400_000)
      expect(conditionsOf(await user.get('jobs', 'backup'))).toContain('Complete=True CompletionsReached')
      await advance(2 * 86_400_000)
      expect(await user.list('jobs')).toEqual([])
    }))

  it('a suspended Job has no Pods until it is resumed', () =>
    played({ pods: { ends: 'never' }, jobs: true }, async ({ user, player }) => {
      await user.create('jobs', 'a', job())
      await player.settled()
      await user.patch('jobs', 'a', { spec: { suspend: true } })
      await player.settled()
      const suspended = await user.get('jobs', 'a')
      expect(conditionsOf(suspended)).toEqual(['Suspended=True JobSuspended'])
      expect([suspended.status.failed, suspended.status.active, await user.list('pods')]).toEqual([
        undefined,
        undefined,
        [],
      ])
      await user.patch('jobs', 'a', { spec: { suspend: false } })
      await player.settled()
      expect(conditionsOf(await user.get('jobs', 'a'))).toEqual(['Suspended=False JobResumed'])
      expect(await user.list('pods')).toHaveLength(1)
    }))

  it('an indexed Job has a Pod for each index, and makes one again that somebody deleted', () =>
    played({ pods: { ends: 'never' }, jobs: true }, async ({ user, player }) => {
      await user.create('jobs', 'a', { ...job(), completions: 3, parallelism: 3, completionMode: 'Indexed' })
      await player.settled()
      const indexes = async (): Promise<string[]> =>
        (await user.list('pods'))
          .map(one => one.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? '')
          .sort()
      const [pod] = (await user.list('pods')).filter(({ metadata }) => metadata.name.startsWith('a-1-'))
      await user.delete('pods', pod?.metadata.name ?? '')
      await player.settled()
      expect(await indexes()).toEqual(['0', '1', '2'])
      expect((await user.get('jobs', 'a')).status).toMatchObject({ active: 3, failed: 1 })
    }))

  it('reports a field that it does not play', async () => {
    const errors: string[] = []
    await played({ jobs: true, onError: error => errors.push(error.message) }, async ({ user, player }) => {
      await user.create('jobs', 'a', { ...job(), completions: 1, completionMode: 'Indexed', backoffLimitPerIndex: 1 })
      await player.settled()
      await user.patch('jobs', 'a', { metadata: { labels: { changed: 'yes' } } })
      await player.settled()
    })
    expect(errors).toEqual([
      'play: the Job default/a: spec.backoffLimitPerIndex is not played: write its status yourself',
    ])
  })
})

describe('play: Deployments', () => {
  it('a Deployment makes a ReplicaSet and its Pods, and becomes available', () =>
    played({ pods: { readyAfterMs: 1000 }, deployments: true }, async ({ user, player, advance }) => {
      await user.create('deployments', 'web', { ...workload, replicas: 3 })
      await player.settled()
      const young = await user.get('deployments', 'web')
      expect(young.status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 })
      expect(conditionsOf(young)).toEqual([
        'Available=False MinimumReplicasUnavailable',
        'Progressing=True ReplicaSetUpdated',
      ])
      await advance(2000)
      const { metadata, status, ...rest } = await user.get('deployments', 'web')
      expect(status).toMatchObject({ readyReplicas: 3, availableReplicas: 3, observedGeneration: metadata.generation })
      expect(status.unavailableReplicas).toBeUndefined()
      expect(conditionsOf({ metadata, status, ...rest })).toEqual([
        ...['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'],
      ])
      expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
      const [set] = await user.list('replicasets')
      const hash = set?.metadata.labels?.['pod-template-hash']
      expect(set?.metadata.name).toBe(`web-${hash}`)
      for (const pod of await user.list('pods')) {
        expect(pod.metadata.name).toMatch(new RegExp(`^web-${hash}-[a-z0-9]{5}$`))
        expect(pod.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash })
      }
    }))

  it.each([
    ['RollingUpdate', [3, 4]],
    ['Recreate', [0, 3]],
  ] as const)('a new template is rolled out by %s', (type, [least, most]) =>
    played({ pods: { readyAfterMs: 1000 }, deployments: true }, async ({ user, advance }) => {
      await user.create('deployments', 'web', { ...workload, replicas: 3, strategy: { type } })
      await advance(5000)
      const image = 'registry.example.com/main:2'
      await user.patch('deployments', 'web', {
        spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
      })
      const ready: number[] = []
      const all: number[] = []
      for (let step = 0; step < 50; step++) {
        await advance(200)
        const pods = (await user.list('pods')).filter(one => one.metadata.deletionTimestamp === undefined)
        all.push(pods.length)
        ready.push(pods.filter(one => conditionsOf(one).includes('Ready=True')).length)
      }
      expect([Math.min(...ready), Math.max(...all)]).toEqual([least, most])
      const { status, metadata } = await user.get('deployments', 'web')
      expect(status).toMatchObject({
        replicas: 3,
        updatedReplicas: 3,
        availableReplicas: 3,
        observedGeneration: metadata.generation,
      })
      expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '2' })
      expect((await user.list('pods')).map(({ spec }) => spec.containers[0].image)).toEqual([image, image, image])
    }),
  )

  it('says that a rollout does not progress', () =>
    played({ pods: { readyAfterMs: Number.POSITIVE_INFINITY }, deployments: true }, async ({ user, advance }) => {
      await user.create('deployments', 'web', { ...workload, progressDeadlineSeconds: 60 })
      await advance(59_000)
      expect(conditionsOf(await user.get('deployments', 'web'))).toContain('Progressing=True ReplicaSetUpdated')
      await advance(2000)
      expect(conditionsOf(await user.get('deployments', 'web'))).toContain('Progressing=False ProgressDeadlineExceeded')
    }))

  it('a ReplicaSet counts a Pod as available after minReadySeconds', () =>
    played({ pods: true, deployments: true }, async ({ user, player, advance }) => {
      await user.create('replicasets', 'set', { ...workload, replicas: 2, minReadySeconds: 10 })
      await player.settled()
      expect((await user.get('replicasets', 'set')).status).toMatchObject({ replicas: 2, readyReplicas: 2 })
      expect((await user.get('replicasets', 'set')).status.availableReplicas).toBeUndefined()
      await advance(11_000)
      expect((await user.get('replicasets', 'set')).status.availableReplicas).toBe(2)
    }))
})

describe('play: StatefulSets and claims', () => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const set = { ...workload, serviceName: 'db', volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] }

  it('a StatefulSet makes its Pods in turn, each with a bound claim', () =>
    played(
      { pods: { readyAfterMs: 1000 }, statefulSets: true, persistentVolumeClaims: { boundAfterMs: 500 } },
      async ({ user, advance }) => {
        await user.create('statefulsets', 'db', { ...set, replicas: 2 })
        await advance(400)
        expect((await user.list('pods')).map(({ metadata, status }) => [metadata.name, status.conditions])).toEqual([
          ['db-0', undefined],
        ])
        await advance(1000)
        expect((await user.list('pods')).map(({ metadata }) => metadata.name)).toEqual(['db-0'])
        await advance(3000)
        const { status, metadata } = await user.get('statefulsets', 'db')
        expect(status).toMatchObject({
          ...{ replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, availableReplicas: 2 },
          ...{ observedGeneration: metadata.generation, currentRevision: status.updateRevision },
        })
        const claims = await user.list('persistentvolumeclaims')
        expect(claims.map(one => [one.metadata.name, one.status.phase, one.status.capacity])).toEqual([
          ['data-db-0', 'Bound', { storage: '1Gi' }],
          ['data-db-1', 'Bound', { storage: '1Gi' }],
        ])
        const pod = await user.get('pods', 'db-1')
        expect(pod.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' })
        expect(pod.metadata.labels).toMatchObject({
          ...{ 'apps.kubernetes.io/pod-index': '1', 'statefulset.kubernetes.io/pod-name': 'db-1' },
          'controller-revision-hash': status.currentRevision,
        })
      },
    ))

  it('a StatefulSet is updated from its last Pod on, and shrinks from there', () =>
    played({ pods: true, statefulSets: true }, async ({ user, player }) => {
      await user.create('statefulsets', 'db', { ...workload, serviceName: 'db', replicas: 3 })
      await player.settled()
      const image = 'registry.example.com/main:2'
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }
      const template = { spec: { containers: [{ name: 'main', image }] } }
      await user.patch('statefulsets', 'db', { spec: { template, updateStrategy } })
      await player.settled()
      const images = (await user.list('pods')).map(({ spec }) => spec.containers[0].image)
      expect(images).toEqual(['registry.example.com/main:1', image, image])
      const { status } = await user.get('statefulsets', 'db')
      expect(status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 })
      expect(status.currentRevision).not.toBe(status.updateRevision)
      await user.patch('statefulsets', 'db', { spec: { replicas: 1 } })
      await player.settled()
      expect((await user.list('pods')).map(({ metadata }) => metadata.name)).toEqual(['db-0'])
    }))

  it('a claim that asks for more gets it', () =>
    played({ persistentVolumeClaims: true }, async ({ user, player }) => {
      const { metadata } = await user.create('persistentvolumeclaims', 'data', { ...claim, storageClassName: 'fast' })
      await player.settled()
      expect((await user.get('persistentvolumeclaims', 'data')).spec.volumeName).toBe(`pvc-${metadata.uid}`)
      await user.patch('persistentvolumeclaims', 'data', { spec: { resources: { requests: { storage: '2Gi' } } } })
      await player.settled()
      expect((await user.get('persistentvolumeclaims', 'data')).status.capacity).toEqual({ storage: '2Gi' })
    }))
})

describe('play: errors', () => {
  it.each([
    [{}, 'play: names nothing to play, such as { pods: true }'],
    [{ jobs: false }, 'play: names nothing to play, such as { pods: true }'],
    [{ pod: true }, 'play: pod is not known'],
    [{ pods: { readyAfter: 1 } }, 'play: pods: readyAfter is not known'],
    [
      { pods: { readyAfterMs: -1 } },
      'play: pods: readyAfterMs takes a number of milliseconds of 0 or more, or Infinity, not -1',
    ],
    [{ pods: { exitCode: 2 } }, "play: pods: exitCode needs ends: 'fail'"],
    [{ pods: { ends: 'never', endsAfterMs: 1 } }, "play: pods: endsAfterMs needs ends: 'fail' or 'succeed'"],
    [{ persistentVolumeClaims: 1 }, 'play: persistentVolumeClaims takes true, false, an object, not 1'],
  ])('refuses %j', async (options, message) => {
    await using server = await startEmbeddedApiServer({ sockets: false })
    await expect(play(server, options as PlayOptions)).rejects.toThrow(
      expect.objectContaining({ message, code: 'ERR_WHERRY_OPTION' }),
    )
  })

  it('a course that is none is what settled rejects with, once', async () => {
    await using server = await startEmbeddedApiServer({ sockets: false })
    const pods = (() => ({ end: 'fail' })) as unknown as PlayOptions['pods']
    await using player = await play(server, { pods })
    await new User(server).create('pods', 'a', podSpec)
    await expect(player.settled()).rejects.toThrow(
      'play: the Pod default/a: play: pods, for default/a: end is not known',
    )
    await player.settled()
  })

  it('an onError that throws or rejects is what settled rejects with, and the play goes on', () =>
    played({ pods: true }, async ({ server, user }) => {
      const pods = (() => ({ end: 'fail' })) as unknown as PlayOptions['pods']
      let calls = 0
      const onError = (): void | Promise<void> => {
        calls += 1
        if (calls === 2) return Promise.reject(new Error('the second'))
        if (calls === 1) throw new Error('the first')
      }
      const player = await play(server, { pods, jobs: true, onError: onError as () => void })
      for (const [name, message] of [
        ['a', 'the first'],
        ['b', 'the second'],
      ] as const) {
        await user.create('pods', name, podSpec)
        await expect(player.settled()).rejects.toThrow(message)
      }
      await user.create('jobs', 'still-played', job())
      await player.settled()
      expect((await user.get('jobs', 'still-played')).status.succeeded).toBe(1)
      await player.close()
    }))

  it('a name that is taken is what close rejects with, until it is free', () =>
    played({ pods: true }, async ({ server, user }) => {
      const player = await play(server, { statefulSets: true })
      await user.create('pods', 'db-0', podSpec)
      await user.create('statefulsets', 'db', { ...workload, serviceName: 'db' })
      const problem = 'play: the StatefulSet default/db: the Pod db-0 is there and is not its own'
      await expect(player.settled()).rejects.toThrow(problem)
      await user.delete('pods', 'db-0')
      await player.settled()
      expect((await user.get('pods', 'db-0')).metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet' }])
      await player.close()
      await player.close()
    }))
})
