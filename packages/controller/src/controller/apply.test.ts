import { type Client, isAlreadyExists, type KubernetesObject, sleep, type View } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { type ClusterRole, clusterRoles } from '@wherry/client/resources/rbac'
import type { Applied } from '@wherry/hash-compare'
import { describe, expect, it, vi } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { type Game, game, games, ours } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'
import { applyDesired } from './apply.ts'
import type { DesiredOptions, ReconcileContext } from './context.ts'
import { TerminalError } from './errors.ts'
import type { KeyState } from './key-state.ts'
import { KeyStates } from './key-states.ts'
import { unnoted } from './testkit/unnoted.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const title = (of: Game): ConfigMap => ({ metadata: { name: 'made' }, data: { title: of.spec.title ?? '' } })

/** Runs `body` beside a controller that applies `what`, and gives what came of each run. */
function applying(
  what: (context: ReconcileContext<Game, 'namespaced'>) => Promise<Applied<KubernetesObject>>,
  body: (arcade: Arcade & { readonly done: (Applied<KubernetesObject> | Error)[] }) => Promise<void>,
): Promise<void> {
  return inArcade(async arcade => {
    const done: (Applied<KubernetesObject> | Error)[] = []
    arcade.operator
      .controller('game')
      .for(games)
      .reconcile(async context => {
        try {
          done.push(await what(context))
        } catch (error) {
          done.push(error as Error)
        }
      })
    await arcade.client.create(games, game('chess'))
    arcade.run()
    await arcade.operator.settled()
    await body({ ...arcade, done })
  })
}

const writesOf = (done: readonly (Applied<KubernetesObject> | Error)[]): readonly string[] =>
  done.flatMap((one): readonly string[] => (one instanceof Error ? [one.message] : one.writes))

const labels = { 'app.kubernetes.io/managed-by': 'game' }

/** Makes `made` as another controls it. */
async function makeRivals(client: Client): Promise<void> {
  const { metadata } = await client.create(configMaps, { metadata: at('rival') })
  const rival = { apiVersion: 'v1', kind: 'ConfigMap', name: 'rival', uid: metadata?.uid ?? '', controller: true }
  await client.create(configMaps, { metadata: { ...at('made'), labels, ownerReferences: [rival] } })
}

/** Of a run that keeps nothing of what it applies. */
const again = (client: Client): Promise<unknown> =>
  client.patch(games, at('chess'), { metadata: { annotations: { at: `${client.environment.clock.now()}` } } })

describe('apply', () => {
  it('sets namespace, labels and owner, and sends nothing where all is so', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, server, done }) => {
        const made = await client.get(configMaps, at('made'))
        const { metadata } = (await client.get(games, at('chess'))) as Game
        expect(made).toMatchObject({
          metadata: {
            labels: { 'app.kubernetes.io/managed-by': 'game' },
            ownerReferences: [
              {
                apiVersion: 'arcade.example.com/v1',
                kind: 'Game',
                name: 'chess',
                uid: metadata.uid,
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          data: { title: 'Chess' },
        })
        await again(client)
        await server.resetStats()
        await operator.settled()
        expect(done).toMatchObject([
          { reason: 'missing', writes: ['create'] },
          { reason: 'equal', writes: [] },
        ])
        const { byVerb } = await server.stats()
        for (const verb of ['create', 'update', 'patch']) expect(byVerb[verb]?.configmaps?.requests ?? 0).toBe(0)
      },
    ))

  it('C10: sees what it wrote itself, and is not made to run by it', () =>
    applying(
      async ({ apply, object }) => {
        await apply(ours, title(object))
        return apply(ours, title(object))
      },
      async ({ done, simulation }) => {
        await simulation.advance(60_000)
        expect(done).toMatchObject([{ reason: 'equal' }])
      },
    ))

  it('C11: runs again when what it made is changed or deleted, also where it does not own it', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object), { owner: false }),
      async ({ client, operator, done }) => {
        await client.patch(configMaps, at('made'), { metadata: { annotations: { theirs: 'x' } } })
        await operator.settled()
        expect(done).toHaveLength(1)
        await client.patch(configMaps, at('made'), { data: { title: 'by hand' } })
        await operator.settled()
        await client.delete(configMaps, at('made'))
        await operator.settled()
        expect(writesOf(done)).toEqual(['create', 'update', 'create'])
        expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
      },
    ))

  it('leaves labels, annotations and finalizers of others alone, and sets its own again', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, done }) => {
        const metadata = { labels: { theirs: 'x' }, annotations: { theirs: 'x' }, finalizers: ['example.com/x'] }
        await client.patch(configMaps, at('made'), { metadata })
        await again(client)
        await operator.settled()
        expect(done.at(-1)).toMatchObject({ reason: 'equal' })
        await client.patch(configMaps, at('made'), { data: { title: 'x' } })
        await operator.settled()
        expect(writesOf(done)).toEqual(['create', 'update'])
        const made = await client.get(configMaps, at('made'))
        expect(made).toMatchObject({ metadata, data: { title: 'Chess' } })
        await client.patch(configMaps, at('made'), { metadata: { finalizers: null } })
      },
    ))

  it('owns what is there and not owned yet, beside its other owners', () =>
    inArcade(async ({ operator, client, run }) => {
      const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u-1' }
      const { metadata } = await client.create(configMaps, { metadata: at('other') })
      const owner = { ...other, uid: metadata?.uid ?? '' }
      await client.create(configMaps, {
        metadata: { ...at('made'), labels, ownerReferences: [owner] },
        data: { title: 'Chess' },
      })
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, title(object))
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      const made = await client.get(configMaps, at('made'))
      expect(made?.metadata?.ownerReferences).toMatchObject([owner, { kind: 'Game', controller: true }])
    }))

  it('does not take what another controls, nor what is not of the view', () =>
    inArcade(async ({ operator, client, run }) => {
      await makeRivals(client)
      await client.create(configMaps, { metadata: at('theirs') })
      const errors: unknown[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, title(object)).catch(error => errors.push(error.code))
          await apply(ours, { ...title(object), metadata: { name: 'theirs' } }).catch(error =>
            errors.push(isAlreadyExists(error)),
          )
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      expect(errors).toEqual(['ALREADY_OWNED', true])
    }))

  it('touches nothing that is not of the view by server-side apply either', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      const there = await client.create(configMaps, { metadata: at('made'), data: { precious: 'yes' } })
      const outcomes: unknown[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          outcomes.push(await apply(ours, title(object), { mode: 'apply' }).catch(error => error))
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      const resource = 'v1/configmaps'
      const details = { name: 'made', kind: 'configmaps', uid: there.metadata?.uid }
      expect(outcomes).toMatchObject([
        { reason: 'AlreadyExists', status: 409, resource, key: 'default/made', details: details },
      ])
      expect(outcomes[0]).toSatisfy(isAlreadyExists)
      await client.delete(games, at('chess'))
      await sleep(simulation.clock, 120_000)
      expect(await client.get(configMaps, at('made'))).toEqual(there)
    }))

  it('creates by server-side apply where nothing is there', () =>
    inArcade(async ({ operator, client, run }) => {
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, title(object), { mode: 'apply' })
          await apply(configMaps, { metadata: { name: 'plain' } }, { mode: 'apply' })
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      expect((await client.list(configMaps)).items).toMatchObject([
        { metadata: { name: 'made', labels, ownerReferences: [{ kind: 'Game' }] }, data: { title: 'Chess' } },
        { metadata: { name: 'plain', ownerReferences: [{ kind: 'Game' }] } },
      ])
    }))

  it('takes no part in the owner references of others by server-side apply: they can take them away again', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object), { mode: 'apply', fieldManager: 'us' }),
      async ({ client, operator, done }) => {
        const { metadata } = await client.create(configMaps, { metadata: at('other') })
        const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: metadata?.uid ?? '' }
        const them = { fieldManager: 'them' }
        await client.apply(configMaps, { metadata: { ...at('made'), ownerReferences: [other] } }, them)
        await client.patch(games, at('chess'), { spec: { title: 'Blitz' } })
        await operator.settled()
        const owners = async (): Promise<unknown> =>
          (await client.get(configMaps, at('made')))?.metadata?.ownerReferences?.map(({ kind }) => kind)
        expect(await owners()).toEqual(['Game', 'ConfigMap'])
        await client.apply(configMaps, { metadata: at('made') }, them)
        expect(await owners()).toEqual(['Game'])
        await operator.settled()
        expect(writesOf(done)).toEqual(['apply', 'apply'])
      },
    ))

  it.each(['update', 'apply'] as const)('adds its finalizers to those of others, by %s', mode =>
    applying(
      ({ apply, object }) => {
        const desired = title(object)
        return apply(ours, { ...desired, metadata: { name: 'made', finalizers: ['example.com/ours'] } }, { mode })
      },
      async ({ client, operator, done }) => {
        const finalizers = ['example.com/ours', 'example.com/theirs']
        await client.patch(configMaps, at('made'), { metadata: { finalizers } })
        await client.patch(games, at('chess'), { spec: { title: 'Blitz' } })
        await operator.settled()
        expect(await client.get(configMaps, at('made'))).toMatchObject({
          metadata: { finalizers },
          data: { title: 'Blitz' },
        })
        // While it is being deleted, a server takes none.
        await client.delete(configMaps, at('made'))
        await client.patch(configMaps, at('made'), { metadata: { finalizers: ['example.com/theirs'] } })
        await client.patch(games, at('chess'), { spec: { title: 'Bullet' } })
        await operator.settled()
        expect(await client.get(configMaps, at('made'))).toMatchObject({
          metadata: { finalizers: ['example.com/theirs'] },
          data: { title: 'Bullet' },
        })
        expect(done.filter(one => one instanceof Error)).toEqual([])
        await client.patch(configMaps, at('made'), { metadata: { finalizers: null } })
      },
    ),
  )

  it('H6: learns what the server makes of it, and does not write it again, until it is changed', () =>
    inArcade(async ({ operator, client, run, server }) => {
      const sources = configMaps.within({ labels: { source: 'yes' } })
      const writes: string[] = []
      operator
        .controller('source')
        .for(sources)
        .reconcile(async ({ apply, object }) => {
          const desired = { metadata: { name: 'made' }, spec: { secret: object.data?.secret ?? '' } }
          writes.push(...(await apply(games, desired)).writes)
        })
      await client.create(configMaps, { metadata: { ...at('a'), labels: { source: 'yes' } }, data: { secret: 'x' } })
      run()
      await operator.settled()
      const patched = (data: Record<string, string>): Promise<unknown> => client.patch(configMaps, at('a'), { data })
      await server.resetStats()
      await patched({ other: '1' })
      await operator.settled()
      expect(writes).toEqual(['create'])
      await patched({ secret: 'y' })
      await operator.settled()
      expect(await client.get(games, at('made'))).toMatchObject({ spec: { secret: 'y', lives: 3 } })
      await client.patch(games, at('made'), { spec: { lives: 7 } })
      await operator.settled()
      expect(await client.get(games, at('made'))).toMatchObject({ spec: { secret: 'y', lives: 3 } })
      expect(writes).toEqual(['create', 'update', 'update'])
    }))

  it('H6: repairs what somebody else changes again and again ever later, and says so once', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, simulation, done }) => {
        const titleNow = async (): Promise<string | undefined> =>
          (await client.get(configMaps, at('made')))?.data?.title
        const change = async (): Promise<string | undefined> => {
          await client.patch(configMaps, at('made'), { data: { title: 'theirs' } })
          await simulation.advance(10)
          return titleNow()
        }
        expect([await change(), await change(), await change()]).toEqual(['Chess', 'Chess', 'Chess'])
        for (const ms of [1000, 2000, 4000]) {
          expect(await change()).toBe('theirs')
          expect(done.at(-1)).toMatchObject({ reason: 'differs', writes: [], remaining: ['spec'] })
          await again(client)
          await simulation.advance(ms - 900)
          expect(await titleNow()).toBe('theirs')
          await simulation.advance(1000)
          expect(await titleNow()).toBe('Chess')
        }
        expect(simulation.environment.errors).toMatchObject([
          { error: { code: 'FLAPPING', key: 'default/made' }, context: { phase: 'apply game', key: 'default/chess' } },
        ])
        expect(simulation.environment.metric('wherry_apply_flapping_total', { controller: 'game' })).toBe(1)
        // Another desired state is no repair.
        await client.patch(games, at('chess'), { spec: { title: 'Blitz' } })
        await operator.settled()
        expect(await titleNow()).toBe('Blitz')
        await simulation.advance(1_200_000)
        expect(await change()).toBe('Blitz')
      },
    ))

  it('H6: counts no write as a repair that changes nothing', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object), { mode: 'apply', force: true }),
      async ({ client, operator, done, simulation }) => {
        for (const other of ['1', '2', '3', '4', '5']) {
          await client.patch(configMaps, at('made'), { data: { other } })
          await operator.settled()
        }
        expect(writesOf(done)).toHaveLength(6)
        await client.patch(configMaps, at('made'), { data: { title: 'theirs' } })
        await operator.settled()
        expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess', other: '5' })
        expect(simulation.environment.errors).toEqual([])
      },
    ))

  it('H6, X8: does not hammer an object that two reconciles want differently', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      const writes: string[] = []
      for (const name of ['one', 'two']) {
        operator
          .controller(name)
          .for(games)
          .reconcile(async ({ apply }) => {
            const desired = { metadata: { name: 'made' }, data: { title: name } }
            writes.push(...(await apply(ours, desired, { owner: false })).writes)
          })
      }
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(writes.length).toBeGreaterThan(6)
      expect(writes.length).toBeLessThan(20)
    }))

  it('H6: forgets what it learned of objects that it does not apply any more', async () => {
    const obtain = vi.spyOn(KeyStates.prototype, 'obtain')
    try {
      await inArcade(async ({ operator, client, run, simulation }) => {
        const sources = configMaps.within({ labels: { source: 'yes' } })
        const learned = (): string[] => {
          const { value } = obtain.mock.results[0] as { readonly value: KeyState }
          return [...(value.learned?.keys() ?? [])].map(object => object.slice(-5))
        }
        const known: string[][] = []
        operator
          .controller('source')
          .for(sources)
          .reconcile(async ({ apply, client: own }) => {
            const job = known.push(learned())
            const { remaining } = await apply(games, { metadata: { name: `job-${job}` }, spec: { secret: 'x' } })
            expect(remaining).toEqual(['spec'])
            await own.delete(games, at(`job-${job - 1}`))
            if (job === 3) throw new Error('one that fails forgets nothing')
            return { requeueAfterMs: 60_000 }
          })
        await client.create(configMaps, { metadata: { ...at('a'), labels: { source: 'yes' } } })
        run()
        await simulation.runUntil(() => known.length === 5)
        expect(known).toEqual([[], ['job-1'], ['job-2'], ['job-2', 'job-3'], ['job-4']])
      })
    } finally {
      obtain.mockRestore()
    }
  })

  it('looks again where somebody changed it meanwhile, and gives up in the end, so that the key waits', () =>
    inArcade(async ({ client }) => {
      const owner = { metadata: { ...at('chess'), uid: 'u' } }
      const there = await client.create(configMaps, { metadata: at('made'), data: { title: 'theirs' } })
      const desired = { metadata: at('made'), data: { title: 'Chess' } }
      const seen = (...states: (ConfigMap | undefined)[]): { reads: number; read: Read } => {
        const counted = { reads: 0 } as { reads: number; read: Read }
        const next = async (): Promise<unknown> => states[Math.min(counted.reads, states.length - 1)]
        const read = {
          peek: next,
          get: async (_view: unknown, _key: unknown, { select }: { select: (object: unknown) => unknown }) => {
            counted.reads += 1
            const object = await next()
            return object === undefined ? undefined : select(object)
          },
        }
        counted.read = read as unknown as Read
        return counted
      }
      const applied = (read: Read): Promise<Applied<ConfigMap>> =>
        applyDesired(
          {
            client,
            primary: games,
            owner,
            signal: new AbortController().signal,
            read,
            ...unnoted,
          },
          configMaps,
          desired,
          { owner: false },
        )
      // The cache was behind: what is as desired there has been changed on the server.
      const once = seen({ ...there, ...desired }, there, { ...there, data: desired.data })
      expect(await applied(once.read)).toMatchObject({ writes: ['update'] })
      expect(once.reads).toBe(2)
      const now = (await client.get(configMaps, at('made'))) as ConfigMap
      const other = { ...now, data: { title: 'other' } }
      const always = {
        peek: async () => now,
        get: async (_: unknown, __: unknown, of: { select(o: object): unknown }) => of.select(other),
      }
      await expect(applied(always as unknown as Read)).rejects.toMatchObject({
        code: 'CHANGED_MEANWHILE',
        key: 'default/made',
      })
    }))

  it('owns nothing where it is told not to, in another namespace too', () =>
    applying(
      async ({ apply, object, client }) => {
        if ((await client.get(namespaces, { name: 'other' })) === undefined) {
          await client.create(namespaces, { metadata: { name: 'other' } })
        }
        return apply(ours, { ...title(object), metadata: { name: 'made', namespace: 'other' } }, { owner: false })
      },
      async ({ client, done }) => {
        expect(done).toMatchObject([{ reason: 'missing' }])
        const made = await client.get(configMaps, { name: 'made', namespace: 'other' })
        expect(made?.metadata?.ownerReferences).toBeUndefined()
      },
    ))

  it('says how it owns', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object), { owner: { controller: false, blockOwnerDeletion: false } }),
      async ({ client }) => {
        const made = await client.get(configMaps, at('made'))
        expect(made?.metadata?.ownerReferences).toMatchObject([{ controller: false, blockOwnerDeletion: false }])
      },
    ))

  it.each<[string, (context: ReconcileContext<Game, 'namespaced'>) => Promise<unknown>, object]>([
    ['no name', ({ apply }) => apply(ours, { metadata: {} }), { option: 'apply.desired.metadata.name' }],
    ['no object', ({ apply }) => apply(ours, null as never), { option: 'apply.desired' }],
    [
      'labels outside the view',
      ({ apply }) => apply(ours, { metadata: { name: 'a', labels: { 'app.kubernetes.io/managed-by': 'x' } } }),
      { option: 'apply.desired.metadata.labels' },
    ],
    [
      'a namespace outside the view',
      ({ apply }) => apply(ours.within({ namespaces: ['a', 'b'] }), { metadata: { name: 'a' } }),
      { option: 'apply.desired.metadata.namespace' },
    ],
    [
      'a name outside the view',
      ({ apply }) => apply(configMaps.within({ fields: { 'metadata.name': 'b' } }), { metadata: { name: 'a' } }),
      { option: 'apply.desired.metadata' },
    ],
    [
      'a signal that is none',
      ({ apply }) => apply(ours, { metadata: { name: 'a' } }, { signal: 'x' as never }),
      { option: 'apply.signal' },
    ],
    [
      'an owner in another namespace',
      ({ apply }) => apply(ours.within({ namespaces: ['elsewhere'] }), { metadata: { name: 'a' } }),
      { code: 'INVALID_OWNER' },
    ],
    [
      'an owner of what has no namespace',
      ({ apply }) => apply(clusterRoles, { metadata: { name: 'a' } } as ClusterRole),
      { code: 'INVALID_OWNER' },
    ],
    [
      'a namespace where there is none',
      ({ apply }) => apply(clusterRoles, { metadata: at('a') } as ClusterRole, { owner: false }),
      { option: 'apply.desired.metadata.namespace' },
    ],
    [
      'an unknown option',
      ({ apply }) => apply(ours, { metadata: { name: 'a' } }, { dry: true } as object),
      { option: 'applyIfChanged.dry' },
    ],
  ])('X6: refuses %s, and sends nothing', (_, what, error) =>
    applying(what as never, async ({ done, server }) => {
      expect(done[0]).toMatchObject(error)
      expect((await server.stats()).byVerb.create?.configmaps).toBeUndefined()
    }),
  )

  it('is over when the reconcile is', () =>
    inArcade(async ({ operator, client, run }) => {
      let kept: ReconcileContext<Game, 'namespaced'> | undefined
      operator
        .controller('game')
        .for(games)
        .reconcile(context => {
          kept = context
          void context.read
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await expect(kept?.apply(ours, { metadata: { name: 'a' } })).rejects.toMatchObject({ code: 'READ_CLOSED' })
      await expect(kept?.read.get(configMaps, at('a'))).rejects.toMatchObject({ code: 'READ_CLOSED' })
    }))
})

describe('an apply that fails', () => {
  /** A controller that goes on from there, and the codes of what failed. */
  const catching = ({ operator }: Arcade, options: DesiredOptions = {}): string[] => {
    const codes: string[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, title(object), options).then(
          ({ reason }) => codes.push(reason),
          error => codes.push(isAlreadyExists(error) ? error.reason : error.code),
        )
      })
    return codes
  }

  it.each(['update', 'apply'] as const)(
    'C16: is tracked: its key runs again when the one that controls the object lets go of it, by %s',
    mode =>
      inArcade(async arcade => {
        const { operator, client, run } = arcade
        await makeRivals(client)
        const codes = catching(arcade, { mode })
        await client.create(games, game('chess'))
        run()
        await operator.settled()
        expect(codes).toEqual(['ALREADY_OWNED'])
        await client.patch(configMaps, at('made'), { metadata: { ownerReferences: null } })
        await operator.settled()
        // Once for what it wrote where the run before had read the other.
        expect(codes).toEqual(['ALREADY_OWNED', 'differs', 'equal'])
      }),
  )

  it('C16: is tracked: its key runs again when the object that another controls goes', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      await makeRivals(client)
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, title(object)).catch(error => {
            throw new TerminalError('another controls it', { cause: error })
          })
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await client.delete(configMaps, at('made'))
      await operator.settled()
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
      expect(simulation.environment.errors).toHaveLength(1)
    }))

  it.each(['update', 'apply'] as const)(
    'C16: is tracked: its key runs again when an object goes that is not of the view, by %s',
    mode =>
      inArcade(async arcade => {
        const { operator, client, run } = arcade
        await client.create(configMaps, { metadata: at('made') })
        const codes = catching(arcade, { mode })
        await client.create(games, game('chess'))
        run()
        await operator.settled()
        await client.patch(configMaps, at('made'), { data: { theirs: 'x' } })
        await operator.settled()
        expect(codes).toEqual(['AlreadyExists'])
        await client.delete(configMaps, at('made'))
        await operator.settled()
        expect(codes).toEqual(['AlreadyExists', 'missing', 'equal'])
      }),
  )

  it('C16: is tracked: its key runs again when an object becomes one of the view', () =>
    inArcade(async arcade => {
      const { operator, client, run } = arcade
      await client.create(configMaps, { metadata: at('made') })
      const codes = catching(arcade)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await client.patch(configMaps, at('made'), { metadata: { labels } })
      await operator.settled()
      expect(codes).toEqual(['AlreadyExists', 'differs', 'equal'])
    }))

  it('C12: is tracked: a primary that was made anew gets its object when that of the old one has gone', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, done }) => {
        // Somebody else's finalizer holds it back for a while.
        await client.patch(configMaps, at('made'), { metadata: { finalizers: ['example.com/slow'] } })
        await client.delete(games, at('chess'))
        await client.create(games, game('chess', 'key', 'New'))
        await operator.settled()
        expect(done.at(-1)).toMatchObject({ code: 'ALREADY_OWNED' })
        await client.patch(configMaps, at('made'), { metadata: { finalizers: null } })
        await operator.settled()
        expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'New' })
      },
    ))

  it('looks again where what it failed on has gone meanwhile', () =>
    inArcade(async ({ client }) => {
      await client.create(configMaps, { metadata: at('made') })
      let isThere = true
      const read = {
        peek: async () => undefined,
        get: async (view: { key: string }, _: unknown, { select }: { select: (object: unknown) => unknown }) => {
          const made = await client.get(configMaps.within({ labels }), at('made'))
          if (view.key === ours.key) return made && select(made)
          if (isThere) await client.delete(configMaps, at('made'))
          isThere = false
          return undefined
        },
      } as unknown as Read
      const about = { client, primary: games, owner: { metadata: at('chess') }, signal: new AbortController().signal }
      const rest = { read, ...unnoted }
      const desired = { metadata: { name: 'made' } }
      expect(await applyDesired({ ...about, ...rest }, ours, desired, { owner: false })).toMatchObject({
        writes: ['create'],
      })
    }))

  it('X8: ends its wait for what is there by its own signal', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const took: number[] = []
      await server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } })
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const before = simulation.clock.monotonic()
          const giveUp = new AbortController()
          simulation.clock.timer(1000, () => giveUp.abort(new Error('enough')))
          await apply(ours, title(object), { signal: giveUp.signal }).catch(() => {})
          took.push(simulation.clock.monotonic() - before)
        })
      await client.create(games, game('chess'))
      run()
      await simulation.runUntil(() => took.length > 0)
      await server.faults.clear()
      expect(took).toEqual([1000])
    }))

  it.each(['update', 'apply'] as const)(
    'C2: ends its write with the run, also where it has its own signal, by %s',
    mode =>
      inArcade(async ({ operator, client, run, end, server, simulation }) => {
        let isApplying = false
        const verb = mode === 'apply' ? 'patch' : 'create'
        await server.faults.add({ match: { verb, resource: 'configmaps' }, effect: { kind: 'hang' } })
        operator
          .controller('game')
          .for(games)
          .reconcile(async ({ apply, object }) => {
            isApplying = true
            await apply(ours, title(object), { mode, signal: new AbortController().signal })
          })
        await client.create(games, game('chess'))
        run()
        await simulation.runUntil(() => isApplying)
        await simulation.advance(1000)
        const before = simulation.clock.monotonic()
        await end()
        expect(simulation.clock.monotonic() - before).toBeLessThan(1000)
      }),
  )
})

describe('what a run was given, and what is not its', () => {
  it('C17: is over when the reconcile is, also where it is first used then', () =>
    inArcade(async ({ operator, client, run }) => {
      let kept: ReconcileContext<Game, 'namespaced'> | undefined
      let late: ReconcileContext<Game, 'namespaced'>['apply'] | undefined
      operator
        .controller('game')
        .for(games)
        .reconcile(context => {
          kept = context
          late = context.apply
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await expect(late?.(ours, { metadata: { name: 'a' } })).rejects.toMatchObject({ code: 'READ_CLOSED' })
      await expect(kept?.read.get(configMaps, at('a'))).rejects.toMatchObject({ code: 'READ_CLOSED' })
      expect(await client.get(configMaps, at('a'))).toBeUndefined()
    }))

  it('C17: does not end the reads of a later run where it is used late', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      const kept: ReconcileContext<Game, 'namespaced'>[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async context => {
          kept.push(context)
          if (kept.length < 2) return
          await context.read.get(configMaps, at('a'))
          void kept[0]?.read
          await context.read.get(configMaps, at('b'))
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await again(client)
      await operator.settled()
      expect(simulation.environment.errors).toEqual([])
      expect(kept).toHaveLength(2)
      expect(operator.explain('game', at('chess')).reads).toHaveLength(2)
    }))

  it('X11: integers of an exact view are compared and written digit for digit', () =>
    inArcade(async ({ operator, client, run }) => {
      const outcomes: unknown[] = []
      const exact = games.within({ labels: { made: 'yes' } }).exact() as unknown as View<Game, 'namespaced'>
      operator
        .controller('maps')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ apply }) => {
          const desired = { metadata: at('made'), spec: { title: 'Chess', secret: 'x', lives: 2n ** 60n + 1n } }
          outcomes.push(await apply(exact, desired as never).catch(error => error))
        })
      const source = { ...at('map'), labels: { source: 'yes' } }
      await client.create(configMaps, { metadata: source })
      run()
      await operator.settled()
      await client.patch(configMaps, source, { data: { other: '1' } })
      await operator.settled()
      expect(outcomes).toMatchObject([
        { reason: 'missing', remaining: [] },
        { reason: 'equal', writes: [] },
      ])
      expect(await client.get(exact, at('made'))).toMatchObject({ spec: { lives: 2n ** 60n + 1n } })
    }))

  it('X9: an apply that is not waited for does not end the process', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      operator
        .controller('game')
        .for(games)
        .reconcile(({ apply, object }) => {
          void apply(ours, title(object))
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await sleep(simulation.clock, 1000)
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
    }))

  it('C11: the status of an object that was made without one makes nothing run', () =>
    inArcade(async ({ operator, client, run }) => {
      const ran: string[] = []
      const made = games.within({ labels: { made: 'yes' } })
      operator
        .controller('maps')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ key, apply }) => {
          ran.push(key.name)
          await apply(made, { metadata: at('made'), spec: { secret: 'key' } })
        })
      await client.create(configMaps, { metadata: { ...at('map'), labels: { source: 'yes' } } })
      run()
      await operator.settled()
      await client.status.patch(games, at('made'), { status: { phase: 'On' } })
      await operator.settled()
      expect(ran).toEqual(['map'])
      await client.patch(games, at('made'), { spec: { secret: 'other' } })
      await operator.settled()
      expect(ran.length).toBeGreaterThan(1)
      expect((await client.get(games, at('made')))?.spec.secret).toBe('key')
    }))

  it('C2: what it makes is owned by its own object, and goes with that, when another one has its name by then', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      let isFirst = true
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, client: own, key, object }) => {
          if (isFirst) {
            isFirst = false
            await own.delete(games, key)
            await own.create(games, game('chess', 'key', 'New'))
            await sleep(simulation.clock, 1000)
          }
          await apply(ours, { metadata: { name: `made-${object.spec.title?.toLowerCase()}` } })
        })
      await client.create(games, game('chess', 'key', 'Old'))
      run()
      await operator.settled()
      await sleep(simulation.clock, 60_000)
      expect((await client.list(ours)).items.map(({ metadata }) => metadata?.name)).toEqual(['made-new'])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('C2: what it makes is owned by its own object, also where the view leaves out who that is', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      const titles = games.project('titles', ({ spec }) => ({ title: spec.title ?? '' }))
      let isFirst = true
      operator
        .controller('game')
        .for(titles)
        .reconcile(async ({ apply, client: own, key, object }) => {
          if (isFirst) {
            isFirst = false
            await own.delete(games, key)
            await sleep(simulation.clock, 1000)
          }
          await apply(ours, { metadata: { name: `made-${object.title.toLowerCase()}` } })
        })
      await client.create(games, game('chess', 'key', 'Old'))
      run()
      await operator.settled()
      await sleep(simulation.clock, 60_000)
      expect((await client.list(ours)).items).toEqual([])
      await client.create(games, game('chess', 'key', 'New'))
      await operator.settled()
      expect((await client.list(ours)).items.map(({ metadata }) => metadata?.name)).toEqual(['made-new'])
      expect(simulation.environment.errors).toEqual([])
    }))
})
