import { Client, defineResource, type ObjectMeta } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import {
  type ConfigMap,
  configMaps,
  events,
  namespaces,
  persistentVolumeClaims,
  pods,
  secrets,
  serviceAccounts,
} from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, type Game, game, games, ours } from '../operator/testkit/games.ts'
import { newLists } from './atomic-lists.ts'
import type { Applied, DesiredOptions } from './options.ts'

const title = (of: Game): ConfigMap => ({ metadata: { name: 'made' }, data: { title: of.spec.title ?? '' } })
const labels = { 'app.kubernetes.io/managed-by': 'game' }
const them = { fieldManager: 'them' }
const theirs = { ...them, force: true }

type Done = Applied<unknown> | Error
type What = (context: ReconcileContext<Game, 'namespaced'>) => Promise<Applied<unknown>>

/** Declares a controller that applies `what`. Gives what came of each run. */
function declare(operator: Operator, what: What): Done[] {
  const done: Done[] = []
  operator
    .controller('game')
    .for(games)
    .reconcile(async context => {
      try {
        done.push(await what(context))
      } catch (error) {
        done.push(error as Error)
        throw error
      }
    })
  return done
}

/** Runs `body` next to a controller that has applied `what` for one game. */
function applying(what: What, body: (arcade: Arcade & { readonly done: Done[] }) => Promise<void>): Promise<void> {
  return inArcade(async arcade => {
    const done = declare(arcade.operator, what)
    await arcade.start('chess')
    await body({ ...arcade, done })
  })
}

const outcomes = (done: readonly Done[]): string[] =>
  done.map(one => (one instanceof Error ? `${(one as { code?: string }).code}` : one.outcome))

/** Makes the game run, whatever its reconcile depends on. */
const touch = (client: Client): Promise<unknown> =>
  client.patch(games, at('chess'), { metadata: { annotations: { at: `${client.environment.clock.monotonic()}` } } })

/** How many writing requests there were of a resource since the counts began. */
async function writes({ server }: Arcade, resource: string): Promise<number> {
  const { byVerb } = await server.stats()
  return ['create', 'update', 'patch'].reduce((sum, verb) => sum + (byVerb[verb]?.[resource]?.requests ?? 0), 0)
}

describe('an apply', () => {
  it('A1: sets namespace, labels and owner, as the field manager OPERATOR/CONTROLLER', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, done }) => {
        const made = await client.get(configMaps.full(), at('made'))
        const { metadata } = (await client.get(games, at('chess'))) as Game
        const owner = { apiVersion: 'arcade.example.com/v1', kind: 'Game', name: 'chess', uid: metadata.uid }
        expect(made).toMatchObject({
          metadata: { labels, ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] },
          data: { title: 'Chess' },
        })
        expect(made?.metadata?.managedFields).toMatchObject([{ manager: 'arcade/game', operation: 'Apply' }])
        expect(done).toMatchObject([{ outcome: 'created', object: { data: { title: 'Chess' } } }])
      },
    ))

  it('A2, A5: sends nothing where all is so, and is not made to run by what it wrote itself', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async arcade => {
        const { client, server, simulation, done, after } = arcade
        await simulation.advance(60_000)
        expect(outcomes(done)).toEqual(['created'])
        await server.resetStats()
        await after(touch(client))
        await client.patch(games, at('chess'), { spec: { title: 'Blitz' } })
        await simulation.advance(60_000)
        expect(outcomes(done)).toEqual(['created', 'unchanged', 'updated'])
        expect(await writes(arcade, 'configmaps')).toBe(1)
      },
    ))

  it('A5: runs again when what it owns is changed or the object goes, and not for what others add', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, done, after }) => {
        await after(
          client.patch(configMaps, at('made'), { data: { theirs: 'x' }, metadata: { annotations: { a: 'b' } } }),
        )
        expect(outcomes(done)).toEqual(['created'])
        await after(client.patch(configMaps, at('made'), { data: { title: 'by hand' } }))
        await after(client.patch(configMaps, at('made'), { metadata: { ownerReferences: null } }))
        await after(client.delete(configMaps, at('made')))
        expect(outcomes(done)).toEqual(['created', 'updated', 'updated', 'APPLY_DELAYED', 'created'])
        expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
      },
    ))

  it('A1: leaves alone what others fill in, and gives up what it no longer names', () =>
    applying(
      ({ apply, object }) => {
        const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } }
        const replicas = object.spec.title === 'Chess' ? { minReadySeconds: 5 } : {}
        return apply(deployments, {
          metadata: { name: 'made' },
          spec: { selector: { matchLabels: labels }, template, ...replicas },
        })
      },
      async ({ client, done, after }) => {
        await client.scale.patch(deployments, at('made'), { spec: { replicas: 5 } })
        await after(touch(client))
        expect(outcomes(done)).toEqual(['created', 'unchanged'])
        await after(client.patch(games, at('chess'), { spec: { title: 'Blitz' } }))
        expect((await client.get(deployments, at('made')))?.spec).toMatchObject({ replicas: 5 })
        expect((await client.get(deployments, at('made')))?.spec).not.toHaveProperty('minReadySeconds', 5)
        expect(outcomes(done)).toEqual(['created', 'unchanged', 'updated'])
      },
    ))

  it('A1: is at rest with a Pod that was scheduled and a claim that was bound', () =>
    inArcade(async ({ operator, client, start, after }) => {
      const done = declare(operator, async ({ apply }) => {
        await apply(pods, { metadata: { name: 'made' }, spec: { containers: [{ name: 'web', image: 'web' }] } })
        const resources = { requests: { storage: '1Gi' } }
        return apply(persistentVolumeClaims, {
          metadata: { name: 'made' },
          spec: { accessModes: ['ReadWriteOnce'], resources },
        })
      })
      await start('chess')
      await client.patch(persistentVolumeClaims, at('made'), { spec: { volumeName: 'disk' } }, them)
      await client.patch(pods, at('made'), { metadata: { annotations: { scheduled: 'yes' } } }, them)
      await after(touch(client))
      expect(outcomes(done)).toEqual(['created', 'unchanged'])
      expect((await client.get(persistentVolumeClaims, at('made')))?.spec?.volumeName).toBe('disk')
    }))

  it('A2: after a restart sends nothing for plain objects, and one request for what the server writes in another form', () =>
    inArcade(async arcade => {
      const { client, server, simulation } = arcade
      const container = { name: 'x', image: 'x', resources: { limits: { cpu: '1000m' } } }
      const spec = {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      }
      for (const name of ['a', 'b', 'c']) await client.create(games, game(name))
      const counts: unknown[] = []
      for (let start = 1; start <= 3; start++) {
        const operator = new Operator({ name: 'arcade', client })
        declare(operator, async ({ apply, key }) => {
          await apply(configMaps, { metadata: { name: key.name }, data: { a: '1' } })
          return apply(deployments, { metadata: { name: key.name }, spec })
        })
        await server.resetStats()
        const stop = new AbortController()
        const running = operator.run({ signal: stop.signal, signals: false }).catch(() => {})
        await operator.settled()
        await simulation.advance(1000)
        counts.push([await writes(arcade, 'configmaps'), await writes(arcade, 'deployments.apps')])
        stop.abort(new Error('enough'))
        await running
        await operator.close()
      }
      expect(counts).toEqual([
        [3, 3],
        [0, 1],
        [0, 1],
      ])
    }))

  it('A1: sends the stringData of a Secret as data, and nothing again', () =>
    applying(
      ({ apply }) => apply(secrets, { metadata: { name: 'made' }, stringData: { a: 'hunter2' } }),
      async ({ client, done, after }) => {
        await after(touch(client))
        expect(outcomes(done)).toEqual(['created', 'unchanged'])
        expect((await client.get(secrets, at('made')))?.data).toEqual({ a: btoa('hunter2') })
      },
    ))

  it('A1: sends no key of stringData that is undefined, as of data', () =>
    applying(
      ({ apply }) => {
        const stringData = { a: 'hunter2', b: undefined as never }
        return apply(secrets, { metadata: { name: 'made' }, data: { c: undefined as never }, stringData })
      },
      async ({ client, done, after }) => {
        await after(touch(client))
        expect(outcomes(done)).toEqual(['created', 'unchanged'])
        expect((await client.get(secrets, at('made')))?.data).toEqual({ a: btoa('hunter2') })
      },
    ))

  it('A1: does not apply an object that is being deleted, and creates it again when it has gone', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, done, after }) => {
        await client.patch(configMaps, at('made'), { metadata: { finalizers: ['x.io/y'] } }, them)
        await after(client.delete(configMaps, at('made')))
        expect(outcomes(done)).toEqual(['created', 'deleting'])
        await after(client.patch(configMaps, at('made'), { metadata: { finalizers: null } }, them))
        expect(outcomes(done)).toEqual(['created', 'deleting', 'created'])
      },
    ))

  it('A1: of the primary object does not make it own itself', () =>
    applying(
      ({ apply }) => apply(games, { metadata: { name: 'chess', labels: { seen: 'yes' } } } as never),
      async ({ client, done }) => {
        const { metadata } = (await client.get(games, at('chess'))) as Game
        // What its users wrote stays, by whichever client they did.
        expect(metadata).toMatchObject({ labels: { seen: 'yes' } })
        expect((await client.get(games, at('chess')))?.spec.title).toBe('Chess')
        expect(metadata.ownerReferences).toBeUndefined()
        // Its own write runs nothing.
        expect(outcomes(done)).toEqual(['updated'])
      },
    ))

  describe('what was written before', () => {
    /** Makes the game and an object that it owns, as an earlier version did, by `writer`. */
    async function madeBy(client: Client, writer: Client): Promise<void> {
      const { metadata } = await client.create(games, game('chess'))
      const owner = { apiVersion: 'arcade.example.com/v1', kind: 'Game', name: 'chess', uid: metadata.uid ?? '' }
      const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }]
      await writer.create(configMaps, {
        metadata: { ...at('made'), ownerReferences },
        data: { title: 'Chess', old: '1' },
      })
      await client.patch(configMaps, at('made'), { data: { older: '1' } }, { fieldManager: 'arcade-v0' })
      await client.apply(configMaps, { metadata: at('made'), data: { oldest: '1' } }, { fieldManager: 'arcade/old' })
      await client.patch(configMaps, at('made'), { data: { kept: '1' } }, { fieldManager: 'kubectl-edit' })
    }
    const dataOf = async (client: Client) => (await client.get(configMaps, at('made')))?.data

    it('A1: by former managers, by an update or an apply, is given up, and nothing else', () =>
      inArcade(async ({ operator, client, start, after }) => {
        await madeBy(client, client)
        const done = declare(operator, ({ apply, object }) =>
          apply(configMaps, title(object), { formerManagers: ['arcade-v0', 'arcade/old'] }),
        )
        await start()
        // A client without a name of its own may be anybody's.
        expect(await dataOf(client)).toEqual({ title: 'Chess', old: '1', kept: '1' })
        await after(touch(client))
        expect(outcomes(done).at(-1)).toBe('unchanged')
      }))

    it('A1: by a client that has the name of the operator’s own is given up', () =>
      inArcade(async ({ client, server, simulation }) => {
        const { url, token } = server
        const transport = server.transport({ random: simulation.random.fork('own') })
        const { environment } = simulation
        const own = new Client({ url, token, transport, environment, fieldManager: 'arcade' })
        await madeBy(client, own)
        const operator = new Operator({ name: 'arcade', client: own })
        declare(operator, ({ apply, object }) => apply(configMaps, title(object)))
        const stop = new AbortController()
        const running = operator.run({ signal: stop.signal, signals: false }).catch(() => {})
        await operator.settled()
        expect(await dataOf(client)).toEqual({ title: 'Chess', older: '1', oldest: '1', kept: '1' })
        stop.abort(new Error('enough'))
        await running
        await operator.close()
        await own.close()
      }))
  })

  it('A1: what differs in its own owner reference is written: the version, the kind, the name, the flags', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, done, after }) => {
        const made = await client.get(configMaps.full(), at('made'))
        const [reference] = made?.metadata?.ownerReferences ?? []
        const changes = [
          { apiVersion: 'arcade.example.com/v1beta1' },
          { name: 'other' },
          { controller: false },
          { blockOwnerDeletion: false },
        ]
        for (const change of changes) {
          const ownerReferences = [{ ...reference, ...change }]
          // By the operator's own manager, as a former version of it.
          const data = { title: 'Chess' }
          const metadata = { ...at('made'), labels, ownerReferences }
          await client.apply(configMaps, { metadata, data } as never, { fieldManager: 'arcade/game', force: true })
          await after(touch(client))
          expect((await client.get(configMaps, at('made')))?.metadata?.ownerReferences).toEqual([reference])
        }
        expect(outcomes(done).filter(one => one === 'updated')).toHaveLength(changes.length)
      },
    ))

  it('A1, C15: takes the namespace of its view, if that has only one, and so does a read', () => {
    const there = configMaps.within({ namespaces: ['kube-system'] })
    const read: unknown[] = []
    return applying(
      async context => {
        const { metadata } = (await context.read.get(there, { name: 'made' })) ?? {}
        read.push(metadata?.namespace, await context.read.getUntracked(there, { name: 'none' }))
        return context.apply(there, { metadata: { name: 'made' }, data: {} }, { owner: false })
      },
      async ({ client, done }) => {
        expect(await client.get(configMaps, { name: 'made', namespace: 'kube-system' })).toBeDefined()
        expect([outcomes(done)[0], read[0], read.at(-2)]).toEqual(['created', undefined, 'kube-system'])
      },
    )
  })

  it('A2: a name alone is satisfied when the object is there', () =>
    applying(
      ({ apply }) => apply(configMaps, { metadata: { name: 'made' } }, { owner: false }),
      async ({ client, done, after }) => {
        await after(touch(client))
        expect(outcomes(done)).toEqual(['created', 'unchanged'])
      },
    ))
})

describe('an owned view', () => {
  it('A5: makes the owner run for what others change, its status too, and not for what it applied itself, without a watch for each', () =>
    inArcade(async ({ operator, client, run, server, simulation, forGames, after }) => {
      let runs = 0
      forGames()
        .owns(deployments)
        .reconcile(async ({ apply, object, key }) => {
          runs += 1
          const template = {
            metadata: { labels },
            spec: { containers: [{ name: 'web', image: object.spec.title ?? '' }] },
          }
          await apply(deployments, {
            metadata: { name: key.name },
            spec: { selector: { matchLabels: labels }, template },
          })
        })
      for (let i = 0; i < 20; i++) await client.create(games, game(`g${i}`))
      run()
      await operator.settled()
      await simulation.advance(60_000)
      expect(runs).toBe(20)
      const { byVerb } = await server.stats()
      expect(byVerb.watch?.['deployments.apps']?.openStreams).toBeLessThan(3)
      await client.status.patch(deployments, at('g1'), { status: { replicas: 1, readyReplicas: 1 } }, them)
      await simulation.advance(1000)
      expect(runs).toBe(21)
      await client.patch(games, at('g2'), { spec: { title: 'Blitz' } })
      await simulation.advance(60_000)
      expect(runs).toBe(22)
      await after(client.delete(deployments, at('g3')))
      expect(await client.get(deployments, at('g3'))).toBeDefined()
    }))
})

describe('an object that is there already', () => {
  it('A3, A5: that another one controls is an AlreadyOwnedError, until it lets go', () =>
    inArcade(async ({ operator, client, run, simulation, after }) => {
      const { metadata } = await client.create(configMaps, { metadata: at('rival') })
      const rival = { apiVersion: 'v1', kind: 'ConfigMap', name: 'rival', uid: metadata?.uid ?? '', controller: true }
      await client.create(configMaps, { metadata: { ...at('made'), labels, ownerReferences: [rival] } })
      const done = declare(operator, ({ apply, object }) => apply(ours, title(object)))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(new Set(outcomes(done))).toEqual(new Set(['ALREADY_OWNED']))
      expect(done[0]).toMatchObject({ controller: { name: 'rival' } })
      await after(client.delete(configMaps, at('made')))
      expect(outcomes(done).at(-1)).toBe('created')
    }))

  it('A10: is left as it is if it was only to be created, and is created again when it is gone', () =>
    inArcade(async ({ operator, client, start, after }) => {
      let drawn = 0
      const done = declare(operator, async ({ apply }) => {
        drawn += 1
        return apply(ours, { metadata: { name: 'made' }, data: { password: `${drawn}` } }, { only: 'create' })
      })
      await start(game('chess'))
      const made = (): Promise<ConfigMap | undefined> => client.get(configMaps, at('made'))
      expect(await made()).toMatchObject({ data: { password: '1' } })
      // Somebody changes it, and takes off the label of the view.
      await after(client.patch(configMaps, at('made'), { data: { password: 'theirs' }, metadata: { labels: null } }))
      await after(client.patch(games, at('chess'), { spec: { title: 'b' } }))
      expect(await made()).toMatchObject({ data: { password: 'theirs' } })
      expect(drawn).toBeGreaterThan(1)
      await after(client.delete(configMaps, at('made')))
      expect(await made()).toMatchObject({ data: { password: `${drawn}` }, metadata: { labels } })
      expect(outcomes(done)).toEqual(['created', ...outcomes(done).slice(1, -1).fill('unchanged'), 'created'])
    }))

  it('A10: that nobody controls is not taken for one that was made', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      await client.create(configMaps, { metadata: at('made'), data: { password: 'theirs' } })
      const done = declare(operator, ({ apply }) => apply(ours, { metadata: { name: 'made' } }, { only: 'create' }))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(new Set(outcomes(done))).toEqual(new Set(['NOT_OURS']))
    }))

  it('A3: that nobody controls is a NotOursError that names its managers, and is taken over with adopt', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      await client.create(configMaps, { metadata: at('made'), data: { precious: 'yes' } }, { fieldManager: 'kubectl' })
      let adopt = false
      const done = declare(operator, ({ apply, object }) => apply(ours, title(object), { adopt }))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(new Set(outcomes(done))).toEqual(new Set(['NOT_OURS']))
      expect(`${done[0]}`).toContain('written by kubectl): apply it with { adopt: true }')
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ precious: 'yes' })
      adopt = true
      await operator.settled()
      expect(await client.get(configMaps, at('made'))).toMatchObject({
        metadata: { labels, ownerReferences: [{ kind: 'Game' }] },
        data: { precious: 'yes', title: 'Chess' },
      })
    }))

  it('A3: that was looked at is taken over with adopt and its uid, and one that has taken its place since is not', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      const make = () => client.create(configMaps, { metadata: at('made'), data: { precious: 'yes' } })
      const { uid = '' } = (await make()).metadata ?? {}
      await client.delete(configMaps, at('made'))
      const { uid: other = '' } = (await make()).metadata ?? {}
      let adopt = { uid }
      const done = declare(operator, ({ apply, object }) => apply(ours, title(object), { adopt }))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(new Set(outcomes(done))).toEqual(new Set(['NOT_OURS']))
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ precious: 'yes' })
      adopt = { uid: other }
      await operator.settled()
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ precious: 'yes', title: 'Chess' })
    }))

  it('A3: that this primary controls is its own, and gets a label that was added to the view', () =>
    applying(
      ({ apply, object }) => {
        const view = object.spec.title === 'Chess' ? ours : configMaps.within({ labels: { ...labels, tier: 'new' } })
        return apply(view, { metadata: { name: 'made' }, data: { a: '1' } })
      },
      async ({ client, done, after }) => {
        await after(client.patch(games, at('chess'), { spec: { title: 'Blitz' } }))
        expect((await client.get(configMaps, at('made')))?.metadata?.labels).toEqual({ ...labels, tier: 'new' })
        expect(outcomes(done).at(-1)).toMatch(/updated|unchanged/)
        await after(client.patch(configMaps, at('made'), { data: { a: 'theirs' } }))
        expect((await client.get(configMaps, at('made')))?.data).toEqual({ a: '1' })
      },
    ))

  it('A3: two controllers that share an object on purpose are both at rest', () =>
    inArcade(async arcade => {
      const { client, server, simulation, forGames, start } = arcade
      for (const name of ['one', 'two']) {
        forGames(name).reconcile(async ({ apply }) => {
          await apply(configMaps, { metadata: { name: 'made' }, data: { [name]: '1' } }, { owner: false })
        })
      }
      await start('chess')
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ one: '1', two: '1' })
      await server.resetStats()
      await simulation.advance(600_000)
      expect(await writes(arcade, 'configmaps')).toBe(0)
    }))

  it('A1: with force off, a conflict names the manager and the field', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      await client.apply(configMaps, { metadata: at('made'), data: { title: 'theirs' } }, theirs)
      const done = declare(operator, ({ apply, object }) =>
        apply(configMaps, title(object), { owner: false, force: false }),
      )
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      expect(`${done[0]}`).toMatch(/them.*\.data\.title/s)
    }))
})

describe('an object that is written again and again', () => {
  it('A6: because another client undoes it, is repaired three times at once, then ever later, and reported once', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, simulation, done }) => {
        const now = async (): Promise<string | undefined> => (await client.get(configMaps, at('made')))?.data?.title
        const undo = async (): Promise<string | undefined> => {
          await client.apply(configMaps, { metadata: at('made'), data: { title: 'theirs' } }, theirs)
          await simulation.advance(10)
          return now()
        }
        // Its create was the first of three.
        expect([await undo(), await undo()]).toEqual(['Chess', 'Chess'])
        for (const ms of [1000, 2000, 4000]) {
          expect(await undo()).toBe('theirs')
          expect(done.at(-1)).toMatchObject({ code: 'APPLY_DELAYED', retryAfterMs: expect.any(Number) })
          expect((done.at(-1) as Error).cause).toBeUndefined()
          await simulation.advance(ms + 50)
          expect(await now()).toBe('Chess')
        }
        expect(simulation.environment.errors).toMatchObject([
          {
            error: { code: 'FLAPPING', key: 'default/made', managers: ['them'], keys: [] },
            context: { phase: 'apply game', key: 'default/chess' },
          },
        ])
        expect(simulation.environment.metric('wherry_apply_flapping_total', { controller: 'game' })).toBe(1)
        // Another desired state goes through at once.
        await client.patch(games, at('chess'), { spec: { title: 'Blitz' } })
        await simulation.advance(50)
        expect(await now()).toBe('Blitz')
        await operator.settled()
      },
    ))

  it.each<[string, (client: Client) => Promise<unknown>, object, RegExp]>([
    [
      'a field, names the client that changed it and not the one that made the object',
      client => client.patch(configMaps, at('made'), { data: { title: 'x' } }, { fieldManager: 'foe' }),
      { managers: ['foe'], keys: [], sameManager: undefined, isGone: false },
      /; changed by the manager foe$/,
    ],
    [
      'a field, as another process with this name',
      client =>
        client.apply(
          configMaps,
          { metadata: at('made'), data: { title: 'x' } },
          { fieldManager: 'arcade/game', force: true },
        ),
      { managers: [], keys: [], sameManager: 'arcade/game', isGone: false },
      /; changed by another process as the manager arcade\/game$/,
    ],
    [
      'the object itself',
      client => client.delete(configMaps, at('made')),
      { managers: [], keys: [], isGone: true },
      /; somebody deletes it$/,
    ],
  ])('A6: because somebody undoes %s', (_, undo, expected, message) =>
    inArcade(async ({ operator, client, run, simulation }) => {
      declare(operator, ({ apply, object }) => apply(ours, title(object), { adopt: true }))
      // Another program made it, with other fields.
      await client.create(configMaps, { metadata: at('made'), data: { kept: '1' } }, { fieldManager: 'creator' })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      for (let i = 0; i < 5; i++) {
        await undo(client)
        await simulation.advance(10)
      }
      const errors = simulation.environment.errors.map(({ error }) => error)
      expect(errors).toMatchObject([{ code: 'FLAPPING', ...expected }])
      expect(errors[0]?.message).toMatch(message)
    }),
  )

  it('A6: because somebody undoes it, is not said to be deleted if it can not be read', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      declare(operator, ({ apply, object }) => apply(ours, title(object)))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      const effect = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      await server.faults.add({ match: { verb: 'list', resource: 'configmaps' }, effect })
      for (let i = 0; i < 5; i++) {
        await client.patch(configMaps, at('made'), { data: { title: 'x' } }, { fieldManager: 'foe' })
        await simulation.advance(10)
      }
      const errors = simulation.environment.errors.map(({ error }) => error)
      expect(errors).toMatchObject([{ code: 'FLAPPING', managers: [], isGone: false }])
      expect(errors[0]?.message).toMatch(/ ms now$/)
    }))

  it('A6: because two keys say different things of it by one manager, names them and what helps: a manager for each', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      let hasManagers = false
      declare(operator, ({ apply, key }) => {
        const fieldManager = hasManagers ? { fieldManager: `game/${key.name}` } : {}
        return apply(
          configMaps,
          { metadata: { name: 'shared' }, data: { [key.name]: '1' } },
          { owner: false, ...fieldManager },
        )
      })
      for (const name of ['chess', 'go']) await client.create(games, game(name))
      run()
      await simulation.advance(60_000)
      const error = simulation.environment.errors[0]?.error as Error
      expect(error).toMatchObject({
        code: 'FLAPPING',
        key: 'default/shared',
        keys: [expect.stringMatching(/chess|go/)],
      })
      expect(error.message).toMatch(/the key default\/\w+ of this controller: give keys .* a fieldManager each$/)
      hasManagers = true
      for (const name of ['chess', 'go']) await client.patch(games, at(name), { spec: { title: 'other' } })
      await operator.settled()
      expect((await client.get(configMaps, at('shared')))?.data).toEqual({ chess: '1', go: '1' })
    }))

  it('A6: because the server refuses it, is tried three times, then ever later, and the reconcile goes on if it wants to', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const effect = { kind: 'status', code: 422, reason: 'Invalid', message: 'no' } as const
      const refusing = await server.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, effect })
      const done = declare(operator, async ({ apply, object, client: own, key }) => {
        const applied = await apply(ours, title(object), { onDelay: 'resolve' })
        await own.status.patch(games, key, { status: { phase: applied.outcome } })
        return applied
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(200)
      expect(outcomes(done).slice(0, 3)).toEqual(Array(3).fill('API_ERROR'))
      expect(done[3]).toMatchObject({ outcome: 'refused', refusal: { status: 422, reason: 'Invalid' } })
      expect((await client.get(games, at('chess')))?.status?.phase).toBe('refused')
      await simulation.advance(130_000)
      const tried = await refusing.hits()
      expect(tried).toBeGreaterThan(7)
      expect(tried).toBeLessThan(12)
      await refusing.remove()
      await operator.settled({ timeoutMs: 120_000 })
      expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
    }))

  it('A6: ends the run with an ApplyDelayedError, which has the refusal as its cause and is no failure', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const effect = { kind: 'status', code: 422, reason: 'Invalid', message: 'no' } as const
      await server.faults.add({ match: { verb: 'patch', resource: 'configmaps' }, effect })
      const done = declare(operator, ({ apply, object }) => apply(ours, title(object)))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(500)
      expect(done.at(-1)).toMatchObject({ code: 'APPLY_DELAYED', key: 'default/made', cause: { status: 422 } })
      const { environment } = simulation
      const reported = environment.errors.map(({ error }) => (error as { code?: string }).code)
      expect(reported).toEqual(['API_ERROR', 'API_ERROR', 'API_ERROR', 'APPLY_REFUSED'])
      expect(environment.errors.at(-1)?.error.message).toMatch(/^PATCH .*422 Invalid: no \(the write of default\/made/)
      expect(environment.metric('wherry_apply_flapping_total', { controller: 'game' })).toBeUndefined()
      expect(environment.metric('controller_runtime_reconcile_errors_total', { controller: 'game' })).toBe(3)
      const explained = operator.explain('game', 'default/chess')
      expect(explained).toMatchObject({ queue: 'delayed', failures: 3, lastRun: { outcome: 'delayed' } })
      expect(`${explained}`).toContain('it threw the write of default/made')
      await expect(operator.settled({ timeoutMs: 100 })).rejects.toMatchObject({
        message: expect.stringMatching(/default\/chess waits to write default\/made.*: PATCH .*: 422 Invalid: no$/),
        cause: { status: 422 },
      })
      const { items } = await client.list(events)
      expect(items.map(({ reason }) => reason)).toContain('ApplyRefused')
    }))

  it('A6: the count of repairs starts again once nobody undid them for 10 s, however often that happens', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, simulation, done }) => {
        for (let i = 0; i < 20; i++) {
          await client.patch(configMaps, at('made'), { data: { title: 'by hand' } }, them)
          await simulation.advance(12_000)
        }
        expect(outcomes(done)).toEqual(['created', ...Array(20).fill('updated')])
        expect(simulation.environment.errors).toEqual([])
      },
    ))

  it.each([true, false])('A6: a label of the view that is taken off is put back, each time (owned: %s)', isOwned =>
    inArcade(async ({ operator, client, simulation, start }) => {
      const declared = operator.controller('game').for(games)
      if (isOwned) declared.owns(ours)
      declared.reconcile(async ({ apply, object }) => void (await apply(ours, title(object))))
      await start('chess')
      const takeOff = (): Promise<unknown> =>
        client.patch(configMaps, at('made'), { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } }, them)
      const isThere = async (): Promise<void> =>
        expect((await client.get(configMaps, at('made')))?.metadata?.labels).toEqual(labels)
      for (let i = 0; i < 6; i++) {
        await takeOff()
        await simulation.advance(20_000)
        await isThere()
      }
      expect(simulation.environment.errors).toEqual([])
      // Also if it is taken off so often that its repair waits.
      for (let i = 0; i < 8; i++) {
        await takeOff()
        await simulation.advance(500)
      }
      expect(simulation.environment.errors).toMatchObject([{ error: { code: 'FLAPPING' } }])
      await simulation.advance(60_000)
      await isThere()
    }),
  )

  it('A6: by a hundred primaries gets two writes a second after the first of each and thirty, and they are named', () =>
    inArcade(async arcade => {
      const { client, run, server, simulation, forGames } = arcade
      forGames('game', { concurrency: 5 }).reconcile(async ({ apply, key }) => {
        await apply(configMaps, { metadata: { name: 'made' }, data: { [key.name]: '1' } }, { owner: false })
      })
      for (let i = 0; i < 100; i++) await client.create(games, game(`g${i}`))
      await server.resetStats()
      run()
      await simulation.advance(60_000)
      expect(await writes(arcade, 'configmaps')).toBeLessThan(100 + 30 + 2 * 60 + 20)
      const reported = simulation.environment.errors.map(({ error }) => error as Error & { keys?: string[] })
      expect(reported[0]?.keys?.length).toBeGreaterThan(5)
    }))

  it('A7: is waited for by settled()', () =>
    applying(
      ({ apply, object }) => apply(ours, title(object)),
      async ({ client, operator, simulation }) => {
        for (let i = 0; i < 4; i++) {
          await client.apply(configMaps, { metadata: at('made'), data: { title: 'theirs' } }, theirs)
          await simulation.advance(10)
        }
        await expect(operator.settled({ timeoutMs: 100 })).rejects.toThrow(
          /default\/chess waits to write default\/made/,
        )
        await operator.settled()
        expect((await client.get(configMaps, at('made')))?.data?.title).toBe('Chess')
      },
    ))
})

describe('an object that this run has read as absent', () => {
  it.each([true, false])('A3: is only created: what lies outside the view is not overwritten (owned: %s)', isOwned =>
    inArcade(async ({ operator, client, simulation, forGames, start }) => {
      let drawn = 0
      const controller = forGames()
      if (isOwned) controller.owns(ours)
      controller.reconcile(async ({ read, apply }) => {
        const there = await read.get(ours, { name: 'made' })
        await apply(ours, { metadata: { name: 'made' }, data: { password: there?.data?.password ?? `${++drawn}` } })
      })
      await start('chess')
      const password = async () => (await client.get(configMaps, at('made')))?.data?.password
      expect(await password()).toBe('1')
      const label = (value: string | null): Promise<unknown> =>
        client.patch(configMaps, at('made'), { metadata: { labels: { 'app.kubernetes.io/managed-by': value } } }, them)
      await label(null)
      await touch(client)
      await simulation.advance(30_000)
      expect(await password()).toBe('1')
      expect(drawn).toBeGreaterThan(1)
      const codes = simulation.environment.errors.map(({ error }) => (error as { code?: string }).code)
      expect(new Set(codes)).toEqual(new Set(['NOT_ABSENT']))
      await label('game')
      await operator.settled()
      expect(await password()).toBe('1')
    }),
  )

  it('A3: may be applied again by the run that has created it', () =>
    applying(
      async ({ apply, read, object }) => {
        if ((await read.get(configMaps, { name: 'made' })) === undefined) await apply(ours, title(object))
        return apply(ours, { ...title(object), data: { title: 'twice' } })
      },
      async ({ client, done }) => {
        expect(outcomes(done)[0]).toBe('updated')
        expect((await client.get(configMaps, at('made')))?.data?.title).toBe('twice')
      },
    ))
})

describe('a field that can not be changed in place', () => {
  interface Board {
    readonly metadata?: ObjectMeta
    readonly spec: { readonly size: number }
  }
  const boards = defineResource<Board>({
    group: 'x.io',
    version: 'v1',
    kind: 'Board',
    plural: 'boards',
    namespaced: true,
  })
  const size = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] }
  const properties = { spec: { type: 'object', properties: { size, more: { type: 'string', maxLength: 3 } } } }
  const definition = {
    metadata: { name: 'boards.x.io' },
    spec: {
      ...{ group: 'x.io', scope: 'Namespaced', names: { kind: 'Board', plural: 'boards' } },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  }
  const board = (of: Game): Board => ({ metadata: { name: 'made' }, spec: { size: (of.spec.title ?? '').length } })
  const uidOf = async (client: Client) => (await client.get(boards, at('made')))?.metadata?.uid
  /** A controller that applies a board, and then gives its game another title, so that the board is to have another size. */
  const enlarging = (
    options: DesiredOptions,
    body: (arcade: Arcade & { readonly done: Done[]; readonly uid: string | undefined }) => Promise<void>,
  ): Promise<void> =>
    inArcade(async arcade => {
      const { client, operator, simulation, start } = arcade
      await client.create(customResourceDefinitions, definition as never)
      await simulation.advance(100)
      const done = declare(operator, ({ apply, object }) => apply(boards, board(object), options))
      await start('chess')
      const uid = await uidOf(client)
      await client.patch(games, at('chess'), { spec: { title: 'Draughts' } })
      await simulation.advance(200)
      await body({ ...arcade, done, uid })
    })

  it('A3: is named, with what helps', () =>
    enlarging({}, async ({ client, done, uid }) => {
      const error = done[1] as Error
      expect(error).toMatchObject({ code: 'IMMUTABLE_FIELD', key: 'default/made', fields: ['spec.size'] })
      expect(error.message).toMatch(/\{ whenImmutable: 'recreate' \} .* 'recreate-orphan' its dependents stay$/)
      expect(error.cause).toMatchObject({ status: 422 })
      expect(await uidOf(client)).toBe(uid)
    }))

  it('A3: recreates the object if that is wanted, by its uid, and only if the primary controls it', () =>
    enlarging({ whenImmutable: 'recreate' }, async ({ client, done, uid, operator }) => {
      await operator.settled()
      expect(outcomes(done).slice(0, 2)).toEqual(['created', 'created'])
      expect(await uidOf(client)).not.toBe(uid)
      expect((await client.get(boards, at('made')))?.spec.size).toBe('Draughts'.length)
    }))

  it.each([
    ['recreate', false],
    ['recreate-orphan', true],
  ] as const)('A3: recreates the object with or without what it owns: %s', (whenImmutable, isKept) =>
    inArcade(async ({ client, operator, simulation, start }) => {
      await client.create(customResourceDefinitions, definition as never)
      await simulation.advance(100)
      declare(operator, ({ apply, object }) => apply(boards, board(object), { whenImmutable }))
      await start('chess')
      const uid = (await uidOf(client)) ?? ''
      const owner = { apiVersion: 'x.io/v1', kind: 'Board', name: 'made', uid }
      await client.create(configMaps, { metadata: { ...at('piece'), ownerReferences: [owner] } })
      await client.patch(games, at('chess'), { spec: { title: 'Draughts' } })
      await simulation.advance(60_000)
      await operator.settled()
      expect((await client.get(boards, at('made')))?.spec.size).toBe('Draughts'.length)
      expect(await uidOf(client)).not.toBe(uid)
      const piece = await client.get(configMaps, at('piece'))
      expect(piece !== undefined).toBe(isKept)
      expect(piece?.metadata?.ownerReferences).toBeUndefined()
    }),
  )

  it('A3: of what the primary object does not control is left alone', () =>
    enlarging({ whenImmutable: 'recreate', owner: false }, async ({ client, done, uid }) => {
      expect(done[1]).toMatchObject({ code: 'API_ERROR', status: 422 })
      expect(await uidOf(client)).toBe(uid)
    }))

  it('A3: does not stand for a desired state that is wrong in itself', () =>
    inArcade(async ({ client, operator, simulation, start, after }) => {
      await client.create(customResourceDefinitions, definition as never)
      await simulation.advance(100)
      let more = 'a'
      const done = declare(operator, ({ apply, object }) => {
        const { metadata, spec } = board(object)
        return apply(boards, { metadata, spec: { ...spec, more } } as Board, { whenImmutable: 'recreate' })
      })
      await start('chess')
      const uid = await uidOf(client)
      more = 'too long'
      await after(touch(client).then(() => simulation.advance(200))).catch(() => {})
      expect(done[1]).toMatchObject({ code: 'API_ERROR', status: 422 })
      expect(await uidOf(client)).toBe(uid)
      more = 'b'
    }))
})

describe('a namespace that is being deleted', () => {
  it('A6: takes no more objects, and that is waited for quietly', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      await client.create(namespaces, { metadata: { name: 'dying' } })
      const metadata = { name: 'chess', namespace: 'dying', finalizers: ['arcade.example.com/x'] }
      await client.create(games, { ...game('chess'), metadata } as Game)
      const done = declare(operator, async ({ apply, events }) => {
        events.record({ reason: 'Applying', message: `${simulation.clock.monotonic()}` })
        return apply(configMaps, { metadata: { name: `made-${simulation.clock.monotonic()}` }, data: {} })
      })
      await client.delete(namespaces, { name: 'dying' })
      run()
      await simulation.advance(60_000)
      expect(new Set(outcomes(done))).toEqual(new Set(['APPLY_DELAYED']))
      expect(done.length).toBeLessThan(10)
      expect(simulation.environment.errors).toEqual([])
      await client.patch(games, { name: 'chess', namespace: 'dying' }, { metadata: { finalizers: null } })
      await operator.settled()
      expect(await client.get(namespaces, { name: 'dying' })).toBeUndefined()
    }))
})

describe('what can not be applied', () => {
  it.each<[string, (context: ReconcileContext<Game, 'namespaced'>) => Promise<unknown>, string]>([
    ['no object', ({ apply }) => apply(configMaps, undefined as never), 'apply.desired'],
    [
      'a status',
      ({ apply }) => apply(games, { metadata: { name: 'a' }, status: { phase: 'x' } } as never),
      'apply.desired.status',
    ],
    ['an object without a name', ({ apply }) => apply(configMaps, { metadata: {} }), 'apply.desired.metadata.name'],
    [
      'an unknown option',
      ({ apply }) => apply(configMaps, { metadata: { name: 'a' } }, { mode: 'apply' } as never),
      'apply.mode',
    ],
    ['metadata that is null', ({ apply }) => apply(configMaps, { metadata: null } as never), 'apply.desired.metadata'],
    [
      'an object that was read',
      async ({ apply, client }) => {
        await client.create(configMaps, { metadata: at('read'), data: { a: 'b' } })
        return apply(configMaps, (await client.get(configMaps, at('read'))) as never)
      },
      'apply.desired.metadata.resourceVersion',
    ],
    [
      'stringData that is a number',
      ({ apply }) => apply(secrets, { metadata: { name: 'a' }, stringData: { port: 80 } } as never),
      'apply.desired.stringData.port',
    ],
    ['conditions that are null', ({ status }) => status({ conditions: null } as never), 'status.conditions'],
    ['a condition that is null', ({ status }) => status({ conditions: [null] } as never), 'status.conditions[0]'],
    [
      'a label that the view does not select',
      ({ apply }) =>
        apply(ours, { metadata: { name: 'a', labels: { ...labels, 'app.kubernetes.io/managed-by': 'x' } } }),
      'apply.desired.metadata.labels',
    ],
  ])('X6: %s is refused by the name of the option', (_, what, option) =>
    inArcade(async ({ forGames, start }) => {
      const errors: unknown[] = []
      forGames().reconcile(async context => {
        await what(context).catch(error => errors.push(error))
      })
      await start('chess')
      expect(errors).toMatchObject([{ code: 'INVALID_OPTION', option }])
    }),
  )

  it('C16: is refused because it can not be watched, and not quietly untracked', () =>
    inArcade(async ({ operator, client, run, server, simulation }) => {
      const effect = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      await server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect })
      const done = declare(operator, ({ apply, object }) => apply(ours, title(object)))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(5000)
      expect(done[0]).toBeInstanceOf(Error)
      expect(await client.get(configMaps, at('made'))).toBeUndefined()
    }))
})

describe('a list that the server takes as one value', () => {
  const accounts = serviceAccounts.within({ labels: { made: 'yes' } })
  const theirSecrets = [{ name: 'theirs' }]
  const desired = (names: readonly string[]) => ({
    metadata: { name: 'made' },
    imagePullSecrets: names.map(name => ({ name })),
  })

  it.each<[string, DesiredOptions, readonly string[], readonly string[] | 'SHARED_LIST']>([
    ['is not replaced if others have filled it', {}, ['ours'], 'SHARED_LIST'],
    ['is applied if nothing of theirs is lost', {}, ['theirs', 'ours'], ['theirs', 'ours']],
    ['is replaced if that is wanted', { replaceLists: true }, ['ours'], ['ours']],
  ])('A1: %s', (_, options, names, expected) =>
    inArcade(async ({ client, operator, run, simulation }) => {
      await client.create(
        serviceAccounts,
        { metadata: at('made'), imagePullSecrets: theirSecrets },
        { fieldManager: 'them' },
      )
      const done = declare(operator, ({ apply }) => apply(accounts, desired(names), { adopt: true, ...options }))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      const now = (await client.get(serviceAccounts, at('made')))?.imagePullSecrets?.map(({ name }) => name)
      if (expected !== 'SHARED_LIST') return expect(now).toEqual(expected)
      expect(done[0]).toMatchObject({ code: 'SHARED_LIST' })
      expect(`${done[0]}`).toContain('imagePullSecrets of default/made')
      expect(`${done[0]}`).toContain('1 of its items, of them, are not in the desired list')
      expect(now).toEqual(['theirs'])
    }),
  )

  it('A1: is not replaced when an apply names it later', () =>
    inArcade(async ({ client, operator, start, after }) => {
      const done = declare(operator, ({ apply, object }) => {
        const { metadata } = desired([])
        const title = { metadata: { ...metadata, annotations: { title: object.spec.title ?? '' } } }
        return apply(accounts, object.spec.lives === 7 ? { ...desired(['ours']), ...title } : title)
      })
      await start('chess')
      await client.patch(serviceAccounts, at('made'), { imagePullSecrets: theirSecrets }, { fieldManager: 'them' })
      await after(client.patch(games, at('chess'), { spec: { lives: 7 } })).catch(() => {})
      expect(done.at(-1)).toMatchObject({ code: 'SHARED_LIST' })
      await client.patch(serviceAccounts, at('made'), { imagePullSecrets: null })
      await after(client.patch(games, at('chess'), { spec: { title: 'Blitz' } }))
      expect((await client.get(serviceAccounts, at('made')))?.imagePullSecrets).toEqual([{ name: 'ours' }])
    }))

  it.each<[string, object, string, readonly string[]]>([
    ['a list that is not owned', { a: { b: [1] }, c: [] }, '{"f:a":{"f:x":{}}}', ['a.b', 'c']],
    ['no list that is owned', { a: { b: [1] } }, '{"f:a":{"f:b":{}}}', []],
    [
      'no list with items that are owned',
      { a: { b: [{ name: 'x' }] } },
      '{"f:a":{"f:b":{"k:{\\"name\\":\\"x\\"}":{}}}}',
      [],
    ],
    ['no list in a field that is owned as a whole', { a: { b: [1] } }, '{"f:a":{}}', []],
    ['no list in an item of a list', { a: [{ b: [1] }] }, '{"f:a":{}}', []],
    ['no list of the metadata', { metadata: { finalizers: ['x'] } }, '', []],
  ])('A1: the lists that are applied for the first time: %s', (_, desired, owned, expected) => {
    expect(newLists(desired, owned).map(names => names.join('.'))).toEqual(expected)
  })
})
