import { EventEmitter, once } from 'node:events'
import { defineResource } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ConfigMap } from '@wherry/client/resources/core'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { parts, specPart } from '@wherry/hash-compare'
import { NarrowCache } from '@wherry/narrow-cache'
import { simulate } from '@wherry/testing'
import { WatchManager } from '@wherry/watch-manager'
import { describe, expect, it } from 'vitest'
import { Controller } from '../controller/controller.ts'
import type { ControllerOptions } from '../controller/definition.ts'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import { ownerReference } from '../objects/owner.ts'
import type { ControllerBuilder } from '../operator/builder.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, type Game, game, games, secret } from '../operator/testkit/games.ts'
import {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  type WithMetadata,
} from '../predicates/changed.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import { and, not, or, type Predicate } from '../predicates/predicate.ts'
import { Channel } from './channel.ts'
import { from, owns, watches } from './controller-sources.ts'
import { DynamicViews } from './dynamic-views.ts'
import type { Source, SourceConnection } from './source.ts'
import { Timer } from './timer.ts'

/** Makes games, runs the operator until it has settled, and forgets what has run so far. */
async function begun({ start }: Arcade, ran: string[], ...names: string[]): Promise<void> {
  await start(...names)
  ran.length = 0
}

/** A controller of games with the sources that `wire` adds, and the names of the games that it ran for. */
function noting(
  { forGames }: Arcade,
  wire: (controller: ControllerBuilder<Game, 'namespaced'>) => unknown = () => {},
  options?: ControllerOptions,
): string[] {
  const ran: string[] = []
  const controller = forGames('game', options)
  wire(controller)
  controller.reconcile(({ key }) => {
    ran.push(key.name)
  })
  return ran
}

const owned = (name: string, by: Game): ConfigMap => ({
  metadata: { ...at(name), ownerReferences: [ownerReference(games, by, 'default')] },
})

describe('owns', () => {
  it('C4: makes the controlling owner run, and both when an object changes hands', () =>
    inArcade(async arcade => {
      const { operator, client, after } = arcade
      const ran = noting(arcade, of => of.owns(configMaps.metadata()))
      await begun(arcade, ran, 'chess', 'go')
      const [chess, go] = [await client.get(games, at('chess')), await client.get(games, at('go'))] as [Game, Game]
      await after(client.create(configMaps, owned('a', chess)))
      expect(ran.splice(0)).toEqual(['chess'])
      const ownerReferences = [ownerReference(games, go, 'default')]
      await after(client.patch(configMaps, at('a'), { metadata: { ownerReferences } }))
      expect(ran.splice(0).sort()).toEqual(['chess', 'go'])
      await after(client.delete(configMaps, at('a')))
      expect(ran.splice(0)).toEqual(['go'])
      expect(operator.explain('game', at('go')).lastRun?.cause).toMatchObject({ source: 'owns', change: 'deleted' })
    }))

  it('C4: leaves owners alone that do not control, or are of another kind or group', () =>
    inArcade(async arcade => {
      const { operator, client, after } = arcade
      const ran = noting(arcade, of => of.owns(configMaps.metadata()))
      await begun(arcade, ran, 'chess')
      const chess = (await client.get(games, at('chess'))) as Game
      const reference = ownerReference(games, chess, 'default')
      const others = [
        { ...reference, controller: false },
        { ...reference, kind: 'Toy' },
        { ...reference, apiVersion: 'other.example.com/v1' },
      ]
      for (const [index, one] of others.entries()) {
        await client.create(configMaps, { metadata: { ...at(`c${index}`), ownerReferences: [one] } })
      }
      await operator.settled()
      expect(ran).toEqual([])
      const next = { ...reference, apiVersion: 'arcade.example.com/v2' }
      await after(client.create(configMaps, { metadata: { ...at('d'), ownerReferences: [next] } }))
      expect(ran).toEqual(['chess'])
    }))
})

describe('forged owner references', () => {
  it('C4: that can name no primary object are dropped and counted, and nothing waits for them', () =>
    inArcade(async arcade => {
      const { operator, client, simulation, forGames } = arcade
      const ran: string[] = []
      forGames()
        .owns(configMaps.metadata())
        .reconcile(({ key }) => {
          ran.push(key.name)
        })
      operator
        .controller('elsewhere')
        .for(games.within({ namespaces: ['elsewhere'] }))
        .owns(configMaps.metadata())
        .reconcile(({ key }) => {
          ran.push(`${key.namespace}/${key.name}`)
        })
      await begun(arcade, ran, 'chess')
      const chess = (await client.get(games, at('chess'))) as Game
      const reference = ownerReference(games, chess, 'default')
      for (const [index, name] of ['a/b', '..', '.', 'a\nb', 'x?y=z'].entries()) {
        await client.create(configMaps, { metadata: { ...at(`c${index}`), ownerReferences: [{ ...reference, name }] } })
      }
      await operator.settled()
      expect(ran).toEqual([])
      expect(simulation.environment.errors).toEqual([])
      const dropped = (controller: string): unknown =>
        simulation.environment.metric('wherry_owner_references_dropped_total', { controller })
      // The second one's view has no objects in this namespace.
      expect(dropped('elsewhere')).toBeGreaterThanOrEqual(5)
      expect(dropped('game')).toBeGreaterThanOrEqual(3)
    }))
})

describe('watches', () => {
  it('C4: maps the old and the new state, each key once', () =>
    inArcade(async arcade => {
      const { client, after } = arcade
      const ran = noting(arcade, of => of.watches(configMaps, ({ data = {} }) => Object.keys(data).map(at)))
      await begun(arcade, ran, 'a', 'b', 'c')
      await after(client.create(configMaps, { metadata: at('map'), data: { a: '', b: '' } }))
      expect(ran.splice(0).sort()).toEqual(['a', 'b'])
      await after(client.patch(configMaps, at('map'), { data: { a: null, c: '' } }))
      expect(ran.splice(0).sort()).toEqual(['a', 'b', 'c'])
      await after(client.delete(configMaps, at('map')))
      expect(ran.splice(0).sort()).toEqual(['b', 'c'])
    }))

  it('X1, X9: a map that throws, or gives no key, is reported, and harms nothing', () =>
    inArcade(async arcade => {
      const { client, simulation, after } = arcade
      const keys: unknown[] = [
        { name: 'chess' },
        { name: '..', namespace: 'default' },
        'chess',
        { name: 1, namespace: 'a' },
      ]
      const ran = noting(arcade, of =>
        of.watches(configMaps, ({ data = {} }) => {
          if (data.throw !== undefined) throw new Error('no map')
          return data.good === undefined ? (keys[Number(data.n)] as never) : at('chess')
        }),
      )
      await begun(arcade, ran, 'chess')
      await client.create(configMaps, { metadata: at('throw'), data: { throw: '' } })
      for (const n of keys.keys()) await client.create(configMaps, { metadata: at(`n${n}`), data: { n: `${n}` } })
      await after(client.create(configMaps, { metadata: at('good'), data: { good: '' } }))
      expect(ran).toEqual(['chess'])
      const { errors } = simulation.environment
      expect(errors.map(({ error }) => (error as { code?: string }).code ?? error.message)).toEqual([
        'no map',
        'INVALID_NAME',
        'INVALID_NAME',
        'INVALID_OPTION',
        'INVALID_NAME',
      ])
    }))

  it('C2: a key of no object makes nothing run', () =>
    inArcade(async arcade => {
      const { client, after } = arcade
      const ran: string[] = noting(arcade, of =>
        of
          .watches(configMaps, () => at('nobody'))
          .onGone(({ key }) => {
            ran.push(`gone ${key.name}`)
          }),
      )
      await begun(arcade, ran)
      await after(client.create(configMaps, { metadata: at('a') }))
      expect(ran).toEqual([])
    }))
})

describe('caches', () => {
  it('C15: a declared view can be listed, and another can not', () =>
    inArcade(async arcade => {
      const { client, simulation, forGames, after } = arcade
      const seen: unknown[] = []
      forGames()
        .caches(configMaps)
        .reconcile(async ({ read }) => {
          seen.push((await read.list(configMaps, { namespace: 'default' })).length)
          await read.list(secrets).catch(error => seen.push(error.code))
        })
      await arcade.start('chess')
      await after(client.create(configMaps, { metadata: at('a') }))
      expect(seen).toEqual([0, 'NOT_CACHED', 1, 'NOT_CACHED'])
      expect(simulation.environment.errors).toEqual([])
    }))
})

describe('predicates', () => {
  it('C4: hold events back, of the source that they were named after', () =>
    inArcade(async arcade => {
      const { client, after } = arcade
      const ran = noting(arcade, of =>
        of
          .withPredicates(generationChanged)
          .watches(configMaps, () => at('go'))
          .withPredicates(labelsChanged),
      )
      await client.create(configMaps, { metadata: at('a') })
      await begun(arcade, ran, 'chess', 'go')
      await client.patch(games, at('chess'), { metadata: { labels: { a: 'b' } } })
      await client.status.patch(games, at('chess'), { status: { phase: 'On' } })
      await after(client.patch(configMaps, at('a'), { data: { a: 'b' } }))
      expect(ran.splice(0)).toEqual([])
      await client.patch(games, at('chess'), { spec: { title: 'Draughts' } })
      await after(client.patch(configMaps, at('a'), { metadata: { labels: { a: 'b' } } }))
      expect(ran.splice(0).sort()).toEqual(['chess', 'go'])
    }))

  it.each<[string, Predicate<ObjectEvent<WithMetadata>>]>([
    ['labelsChanged', labelsChanged],
    ['annotationsChanged', annotationsChanged],
    ['generationChanged', generationChanged],
    ['hashChanged', hashChanged(parts({ spec: specPart() })) as never],
    ['or', or(labelsChanged, annotationsChanged)],
    ['one of the user’s own', () => false],
  ])('C4: let an update pass that begins the end of a life: %s', (_, predicate) =>
    inArcade(async arcade => {
      const { client, after, forGames } = arcade
      const held = (name: string) => ({ ...at(name), finalizers: ['arcade.example.com/x'] })
      const ran: string[] = []
      const controller = forGames()
      controller.withPredicates(predicate)
      controller
        .owns(configMaps.metadata())
        .withPredicates(predicate)
        .watches(secrets.metadata(), () => at('go'))
        .withPredicates(predicate)
        .reconcile(async ({ key, object }) => {
          ran.push(key.name)
          if (object.metadata.deletionTimestamp === undefined) return
          await client.patch(games, key, { metadata: { finalizers: null } })
        })
      for (const name of ['chess', 'go']) await client.create(games, { ...game(name), metadata: held(name) } as Game)
      const chess = (await client.get(games, at('chess'))) as Game
      await client.create(configMaps, {
        ...owned('a', chess),
        metadata: { ...owned('a', chess).metadata, ...held('a') },
      })
      await client.create(secrets, { metadata: held('s') })
      await arcade.start()
      ran.length = 0
      await after(client.delete(configMaps, at('a')))
      expect(ran.splice(0)).toEqual(['chess'])
      await after(client.delete(secrets, at('s')))
      expect(ran.splice(0)).toEqual(['go'])
      await after(client.delete(games, at('chess')))
      expect(ran.splice(0)).toContain('chess')
      expect(await client.get(games, at('chess'))).toBeUndefined()
    }),
  )

  it('X9: one that throws is reported, and lets the event pass', () =>
    inArcade(async arcade => {
      const { simulation } = arcade
      const ran = noting(arcade, of =>
        of.withPredicates(() => {
          throw new Error('no predicate')
        }),
      )
      await arcade.start('chess')
      expect(ran).toEqual(['chess'])
      expect(simulation.environment.errors).toMatchObject([{ error: { message: 'no predicate' } }])
    }))

  const rejecting = (async () => Promise.reject(new Error('not awaited'))) as never
  it.each<[string, Predicate<ObjectEvent<Game>>]>([
    ['one', rejecting],
    ['one in an and', and<ObjectEvent<Game>>(() => true, rejecting)],
    ['one in an or', or<ObjectEvent<Game>>(() => false, rejecting)],
    ['one in a not', not<ObjectEvent<Game>>(rejecting)],
    ['a function of a fieldsChanged', fieldsChanged<Game>(rejecting)],
  ])('X9: %s that returns a promise is reported, lets the event pass, and ends no process', (_, predicate) =>
    inArcade(async arcade => {
      const { client, simulation, after } = arcade
      const ran = noting(arcade, of => of.withPredicates(predicate))
      await arcade.start('chess')
      await after(client.patch(games, at('chess'), { spec: { title: 'Go' } }))
      expect(ran).toEqual(['chess', 'chess'])
      const errors = simulation.environment.errors.map(({ error }) => error.message)
      expect(errors).toContain('a predicate is synchronous, and a function of this one returned a promise')
    }),
  )

  it('C2: a delete of a primary object passes, whatever they say', () =>
    inArcade(async arcade => {
      const { client, forGames, after } = arcade
      const ran: string[] = []
      forGames()
        .withPredicates(event => event.type === 'add')
        .reconcile(() => {})
        .onGone(({ key }) => {
          ran.push(key.name)
        })
      await begun(arcade, ran, 'chess')
      await after(client.delete(games, at('chess')))
      expect(ran).toEqual(['chess'])
    }))
})

describe('a primary object that the view no longer has', () => {
  it('C2: is gone only if it is known to be; one that lives on has left', () =>
    inArcade(async arcade => {
      const { operator, client, server, after } = arcade
      const said: string[] = []
      const note =
        (what: string) =>
        ({ key, last }: { readonly key: { readonly name: string }; readonly last: Game }): void =>
          void said.push(`${what} ${key.name} ${last.spec.title}`)
      operator
        .controller('game')
        .for(games.within({ labels: { league: 'a' } }))
        .reconcile(() => {})
        .onGone(note('gone'))
        .onLeft(note('left'))
      const inLeague = (name: string): Game =>
        ({ ...game(name), metadata: { ...at(name), labels: { league: 'a' } } }) as Game
      for (const name of ['chess', 'go', 'draughts']) await client.create(games, inLeague(name))
      await arcade.start()
      await after(client.patch(games, at('chess'), { metadata: { labels: { league: 'b' } } }))
      await after(client.delete(games, at('go')))
      expect(said.splice(0)).toEqual(['left chess Chess', 'gone go Chess'])
      expect(`${operator.explain('game', at('chess'))}`).toContain('is not in the view')
      // What can't be known yet is asked again, and nothing is ended before.
      const fault = await server.faults.add({
        match: { verb: 'list', resource: 'games.arcade.example.com' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden' },
      })
      await client.patch(games, at('draughts'), { metadata: { labels: null } })
      await arcade.simulation.advance(1000)
      expect(said).toEqual([])
      await fault.remove()
      await operator.settled()
      expect(said).toEqual(['left draughts Chess'])
      // It is back in the view before that could be looked at.
      await after(client.patch(games, at('draughts'), { metadata: { labels: { league: 'a' } } }))
      const refused = await server.faults.add({
        match: { verb: 'list', resource: 'games.arcade.example.com' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden' },
      })
      await client.patch(games, at('draughts'), { metadata: { labels: { league: 'b' } } })
      await arcade.simulation.advance(1000)
      await client.patch(games, at('draughts'), { metadata: { labels: { league: 'a' } } })
      await refused.remove()
      await operator.settled()
      expect(said).toEqual(['left draughts Chess'])
      // Another one of the name is another one.
      await after(client.patch(games, at('chess'), { metadata: { labels: { league: 'a' } } }))
      await client.delete(games, at('chess'))
      await after(client.create(games, game('chess')))
      expect(said.at(-1)).toBe('gone chess Chess')
    }))
})

describe('from', () => {
  it('C4: a channel makes the key run that is sent, or those that it is mapped to', () =>
    inArcade(async arcade => {
      const { operator } = arcade
      const keys = new Channel<{ name: string; namespace: string }>('keys')
      const pushes = new Channel<string>('pushes')
      expect(() => keys.send(at('chess'))).toThrow(expect.objectContaining({ code: 'CHANNEL_NOT_CONNECTED' }))
      const ran = noting(arcade, of =>
        of
          .from(keys)
          .from(pushes, text => text.split(' ').map(at))
          .withPredicates(text => text !== 'no'),
      )
      await begun(arcade, ran, 'chess', 'go', 'no')
      keys.send(at('chess'))
      await operator.settled()
      expect(operator.explain('game', at('chess')).lastRun?.cause).toMatchObject({ source: 'keys', change: 'told' })
      pushes.send('chess go')
      pushes.send('no')
      await operator.settled()
      expect(ran).toEqual(['chess', 'chess', 'go'])
      expect(keys.connections).toBe(1)
      await arcade.end()
      expect(keys.connections).toBe(0)
    }))

  it('X9: one that connects by a promise ends the start with an error, and no process', () =>
    inArcade(async arcade => {
      const connect = (async () => Promise.reject(new Error('not connected'))) as never
      arcade
        .forGames()
        .from({ name: 'mine', connect }, () => at('chess'))
        .reconcile(() => {})
      arcade.run()
      await arcade.simulation.advance(1000)
      expect(await arcade.end()).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('mine.connect takes a connection with synced and close'),
      })
      expect(arcade.simulation.environment.errors).toMatchObject([{ error: { message: 'not connected' } }])
    }))

  it('X9: one with own keys that come by a promise is reported, and ends no process', () =>
    inArcade(async arcade => {
      const defaultKeys = (async () => Promise.reject(new Error('no keys'))) as never
      const source = Object.assign(new Channel<{ name: string }>('mine'), { defaultKeys })
      const ran = noting(arcade, of => of.from(source as never))
      await begun(arcade, ran, 'chess')
      source.send(at('chess'))
      await arcade.simulation.advance(1000)
      expect(ran).toEqual([])
      const errors = arcade.simulation.environment.errors.map(({ error }) => error.message)
      expect(errors).toContain('no keys')
    }))

  it('C4: a timer makes all keys run each time', () =>
    inArcade(async arcade => {
      const { simulation } = arcade
      const ran = noting(arcade, of => of.from(new Timer({ everyMs: 60_000 })))
      await begun(arcade, ran, 'chess', 'go')
      await simulation.advance(130_000)
      expect(ran.sort()).toEqual(['chess', 'chess', 'go', 'go'])
    }))

  it('C4: a timer reports how often it has come, apart from others of its kind, and nothing once it is closed', async () => {
    const { environment, advance, pending, run } = simulate(1)
    const reported: string[] = []
    const connect = (name: string, everyMs: number): SourceConnection =>
      new Timer({ everyMs, name }).connect({
        controller: 'game',
        manager: undefined as never,
        environment,
        isAbsent: async () => false,
        missed: () => {},
        tell: ({ count }) => reported.push(`${name} ${count}`),
      })
    const [often, seldom] = [connect('often', 1000), connect('seldom', 2500)]
    await run(() => often.synced(new AbortController().signal))
    await advance(3200)
    expect(reported.splice(0)).toEqual(['often 0', 'often 1', 'seldom 0', 'often 2'])
    await often.close()
    await advance(3000)
    expect(reported).toEqual(['seldom 1'])
    await seldom.close()
    expect(pending()).toEqual([])
  })

  it('C4: a registrar delivers views that come and go while the controller runs', () =>
    inArcade(async arcade => {
      const { operator, client, after } = arcade
      const watched = new DynamicViews<ConfigMap>('maps', [configMaps.within({ labels: { game: 'chess' } })])
      const ran = noting(arcade, of => of.from(watched, ({ object }) => at(object.metadata?.labels?.game ?? 'none')))
      await begun(arcade, ran, 'chess', 'go')
      const named = (name: string): ConfigMap => ({ metadata: { ...at(name), labels: { game: name } } })
      await client.create(configMaps, named('chess'))
      await after(client.create(configMaps, named('go')))
      expect(ran.splice(0)).toEqual(['chess'])
      await watched.replace([configMaps.within({ labels: { game: 'go' } })])
      await operator.settled()
      expect(ran.splice(0)).toEqual(['go'])
      expect(operator.manager(WatchManager)).toBe(operator.manager(WatchManager))
      expect(operator.manager(WatchManager).intended.map(({ key }) => key)).toContain(watched.intended[0]?.key)
      await client.delete(configMaps, at('go'))
      await after(client.delete(configMaps, at('chess')))
      expect(ran.splice(0)).toEqual(['go'])
    }))

  it('C1: what a registrar delivers of the first state waits behind changes', () =>
    inArcade(async ({ client, run, simulation, forGames }) => {
      const ran: string[] = []
      const watched = new DynamicViews<ConfigMap>('maps', [configMaps])
      forGames()
        .from(watched, ({ object }) => at(object.metadata?.name ?? ''))
        .reconcile(async ({ key }) => {
          ran.push(key.name)
          await sleep(simulation.clock, 10_000)
        })
      for (const name of ['a', 'b', 'c', 'd']) {
        await client.create(games, game(name))
        await client.create(configMaps, { metadata: at(name) })
      }
      run()
      await simulation.runUntil(() => ran.length > 0)
      const [first, ...rest] = ['a', 'b', 'c', 'd'].sort(
        (one, other) => Number(other === ran[0]) - Number(one === ran[0]),
      )
      // By its view, and by the registrar once the first state was delivered.
      await client.patch(games, at(`${rest[2]}`), { spec: { title: 'New' } })
      await simulation.advance(1000)
      await client.patch(configMaps, at(`${rest[1]}`), { data: { n: 'new' } })
      await simulation.advance(60_000)
      expect(ran).toEqual([first, rest[2], rest[1], rest[0]])
    }))

  it('W8, W9: all keys run if a registrar starts again, since it receives no event of what has gone', () =>
    inArcade(async arcade => {
      const { operator, client, server, simulation } = arcade
      const watched = new DynamicViews<ConfigMap>('maps', [configMaps])
      const ran = noting(arcade, of => of.from(watched, ({ object }) => at(object.metadata?.name ?? '')))
      const names = Array.from({ length: 40 }, (_, index) => `n${index}`)
      // More than is remembered of what has gone.
      const data = { x: 'x'.repeat(1_000_000) }
      for (const name of names) await client.create(configMaps, { metadata: at(name), data })
      await begun(arcade, ran, ...names, 'none')
      const effect = { kind: 'status', code: 503 } as const
      const fault = await server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect })
      await server.endWatches('configmaps')
      await simulation.advance(2000)
      for (const name of names) await client.delete(configMaps, at(name))
      await server.compact()
      await server.expireWatchCaches()
      await fault.remove()
      await simulation.runUntil(() => ran.length > 40)
      await operator.settled()
      expect([...new Set(ran)].sort()).toEqual([...names, 'none'].sort())
    }))

  it('W8: no more keys run than those it means, if a registrar receives a view that it had left', () =>
    inArcade(async arcade => {
      const { operator, client } = arcade
      const watched = new DynamicViews<ConfigMap>('maps', [configMaps])
      const ran = noting(arcade, of => of.from(watched, ({ object }) => at(object.metadata?.name ?? '')))
      await client.create(configMaps, { metadata: at('chess') })
      await begun(arcade, ran, 'chess', 'go')
      await watched.remove(configMaps)
      await watched.add(configMaps)
      await operator.settled()
      expect(ran.splice(0)).toEqual(['chess'])
      await watched.replace([])
      await watched.replace([configMaps])
      await operator.settled()
      expect(ran).toEqual(['chess'])
    }))

  it('X6: what a channel sends that is no key is reported, also in a list', () =>
    inArcade(async arcade => {
      const { operator, simulation } = arcade
      const channel = new Channel<never>('pushes')
      const ran = noting(arcade, of => of.from(channel))
      await begun(arcade, ran, 'chess')
      const wrong: unknown[] = ['chess', ['chess'], ['default/chess'], [at('chess'), 'chess']]
      for (const one of wrong) channel.send(one as never)
      const { errors } = simulation.environment
      expect(errors.map(({ context }) => context.phase)).toEqual(wrong.map(() => 'pushes'))
      channel.send([at('chess')] as never)
      await operator.settled()
      expect(ran).toEqual(['chess'])
    }))
})

describe('the start', () => {
  it('C3: waits for all sources, and names the one that does not sync in time, and why', () =>
    inArcade(async arcade => {
      const { operator, server, simulation, run, end } = arcade
      await server.faults.add({
        match: { resource: 'secrets' },
        effect: { kind: 'status', code: 403, reason: 'Forbidden', message: 'you may not' },
      })
      const ran = noting(arcade, of => of.watches(secrets, () => undefined), { syncTimeoutMs: 10_000 })
      await operator.client.create(games, game('chess'))
      run()
      await expect(operator.settled()).rejects.toMatchObject({ code: 'SOURCE_NOT_SYNCED' })
      expect(await end()).toMatchObject({
        code: 'SOURCE_NOT_SYNCED',
        controller: 'game',
        sources: [`watches ${secrets.key}`],
        cause: { status: 403 },
      })
      expect(ran).toEqual([])
      expect(simulation.clock.monotonic()).toBeGreaterThan(10_000)
    }))

  it('C3: goes on by itself when what was forbidden is allowed in time', () =>
    inArcade(async arcade => {
      const { server, start } = arcade
      const fault = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      await server.faults.add({ match: { resource: 'secrets' }, times: 3, effect: fault })
      const ran = noting(arcade, of => of.watches(secrets, () => undefined))
      await start('chess')
      expect(ran).toEqual(['chess'])
    }))

  const toys = defineResource<{ metadata?: Game['metadata'] }>({
    ...{ group: 'arcade.example.com', version: 'v1', kind: 'Toy', plural: 'toys', namespaced: true },
  })
  it.each<[string, (of: ControllerBuilder<Game, 'namespaced'>) => unknown]>([
    ['by its view', of => of.watches(toys, () => at('chess'))],
    [
      'by a registrar, next to existing objects',
      of =>
        of.from(new DynamicViews<unknown>('r', [toys, secrets]), ({ key }) =>
          key === 'default/yoyo' ? at('chess') : [],
        ),
    ],
  ])('C3, D7: does not wait for a resource that may come later, and receives it %s when it does', (_, wire) =>
    inArcade({ cache: { whenUnknown: 'wait' } }, async arcade => {
      const { client, simulation, start, after } = arcade
      const ran = noting(arcade, wire, { syncTimeoutMs: 5000 })
      await start('chess')
      expect(ran).toEqual(['chess'])
      await client.create(customResourceDefinitions, {
        metadata: { name: 'toys.arcade.example.com' },
        spec: {
          group: 'arcade.example.com',
          scope: 'Namespaced',
          names: { kind: 'Toy', plural: 'toys' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      })
      await simulation.advance(10_000)
      await after(client.create(toys, { metadata: at('yoyo') }))
      expect(ran).toEqual(['chess', 'chess'])
    }),
  )

  it('C3, D7: waits for a resource of a registrar where it is an error that the server does not know it', () =>
    inArcade(async arcade => {
      const source = new DynamicViews<unknown>('r', [toys])
      const ran = noting(arcade, of => of.from(source, () => []), { syncTimeoutMs: 5000 })
      await arcade.client.create(games, game('chess'))
      arcade.run()
      await arcade.simulation.runUntil(() => arcade.operator.state === 'stopped')
      expect(await arcade.end()).toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: ['r'] })
      expect(ran).toEqual([])
    }))

  it('C3, X8: a server that is away delays it, and is no end', () =>
    inArcade(async arcade => {
      const { operator, server, client, run, simulation } = arcade
      const ran = noting(arcade)
      await client.create(games, game('chess'))
      await server.refuse(true)
      await server.breakConnections()
      run()
      await simulation.advance(30_000)
      expect(ran).toEqual([])
      await server.refuse(false)
      await operator.settled({ timeoutMs: 120_000 })
      expect(ran).toEqual(['chess'])
      await server.refuse(true)
      await server.breakConnections()
      await simulation.advance(60_000)
      await server.refuse(false)
      const writer = operator.client
      await writer.patch(games, at('chess'), { spec: { title: 'Go' } })
      await operator.settled({ timeoutMs: 120_000 })
      expect(ran).toEqual(['chess', 'chess'])
    }))
})

describe('a controller from its parts', () => {
  it('C3: is stopped, and holds nothing, where it can not begin: its queue is measured under a name that is taken', async () => {
    // Before time is simulated: what it loads takes real time.
    const metrics = await prometheusMetrics({ processMetrics: false })
    metrics.queue('game', { depths: () => new Map(), unfinished: () => [] })
    await inArcade(async ({ client, operator }) => {
      const { cache, narrow } = operator
      const parts = { client, cache, narrow, metrics }
      const controller = new Controller({ name: 'game', for: games, reconcile: () => {} }, parts)
      await expect(controller.start()).rejects.toMatchObject({ option: 'queue.controller' })
      expect(controller.state).toBe('stopped')
      expect(cache.report().informers).toEqual([])
    })
  })

  it('C4: names the watch manager that a source of it lacks', () =>
    inArcade(async ({ client, operator }) => {
      const { cache, narrow } = operator
      const sources = [from(new DynamicViews<ConfigMap>('maps'), () => at('chess'))]
      const controller = new Controller(
        { name: 'game', for: games, sources, reconcile: () => {} },
        { client, cache, narrow },
      )
      await expect(controller.start()).rejects.toMatchObject({ code: 'NO_MANAGER' })
    }))

  it('C4: runs without an operator, and holds its views under its name', () =>
    inArcade(async ({ client }) => {
      const cache = new DynamicCache({ client })
      const narrow = new NarrowCache({ client })
      const manager = new WatchManager({ cache, environment: client.environment })
      manager.start()
      const ran: string[] = []
      const runs = new EventEmitter()
      const keys = new Channel<{ name: string; namespace: string }>('keys')
      const controller = new Controller(
        {
          name: 'game',
          for: games,
          sources: [owns(configMaps.metadata()), watches(secrets, () => at('chess')), from(keys)],
          caches: [secrets.metadata()],
          reconcile: ({ key }) => {
            ran.push(key.name)
            runs.emit('run')
          },
        },
        { client, cache, narrow, manager },
      )
      expect(controller.views.map(({ key }) => key)).toEqual(
        [games, configMaps.project('applied:game', () => 0), secrets, secrets.metadata()].map(({ key }) => key),
      )
      await client.create(games, game('chess'))
      await controller.start()
      while (ran.length === 0) await once(runs, 'run')
      expect(controller.unwatched).toEqual([])
      expect(cache.report().informers.map(({ holders }) => holders)).toEqual(new Array(4).fill(['controller/game']))
      await client.create(secrets, secret('key', 'x'))
      while (ran.length < 2) await once(runs, 'run')
      controller.enqueue(at('chess'))
      while (ran.length < 3) await once(runs, 'run')
      await expect(controller.start()).rejects.toMatchObject({ code: 'CONTROLLER_USED' })
      await controller.stop()
      expect(cache.report().informers).toEqual([])
      await manager.close()
      await narrow.close()
      await cache.close()
    }))

  it('C3: connects nothing once it was stopped, however early that was', () =>
    inArcade(async ({ operator, client }) => {
      const { cache, narrow, manager } = operator
      const keys = new Channel('keys')
      const sources = [from(keys, () => at('chess'))]
      const definition = { name: 'game', for: games, sources, reconcile: () => {} }
      const controller = new Controller(definition, { client, cache, narrow, manager })
      const started = controller.start({ client }).catch(error => error)
      await controller.stop()
      expect(await started).toMatchObject({ code: 'CONTROLLER_STOPPED' })
      expect([keys.connections, cache.report().informers]).toEqual([0, []])
    }))

  it.each([
    ['throws', 'a close threw'],
    ['does not end', 'has not closed stops'],
  ])('C3, X9: says why it was stopped, though the close of the source that stopped it %s', (how, reported) =>
    inArcade(async ({ operator, client, simulation }) => {
      const { cache, narrow, manager } = operator
      const close = (): Promise<void> => {
        if (how === 'throws') throw new Error('a close threw')
        return new Promise(() => {})
      }
      const stops: Source<never> = {
        name: 'stops',
        connect: () => {
          void controller.stop()
          return { synced: async () => {}, close }
        },
      }
      const definition = { name: 'game', for: games, sources: [from(stops, () => [])], reconcile: () => {} }
      const controller = new Controller(definition, { client, cache, narrow, manager })
      const started = controller.start({ stopTimeoutMs: 1000 }).catch(error => error.code)
      await simulation.advance(2000)
      expect(await Promise.race([started, 'nothing'])).toBe('CONTROLLER_STOPPED')
      expect(simulation.environment.errors.map(({ error }) => error.message).join()).toContain(reported)
    }),
  )

  it('C3: connects nothing after a source that stops it, and closes that one', () =>
    inArcade(async ({ operator, client }) => {
      const { cache, narrow, manager } = operator
      const log: string[] = []
      const stops: Source<never> = {
        name: 'stops',
        connect: () => {
          void controller.stop()
          return { synced: async () => {}, close: async () => void log.push('closed') }
        },
      }
      const keys = new Channel('keys')
      const sources = [from(stops, () => []), from(keys, () => at('chess'))]
      const definition = { name: 'game', for: games, sources, reconcile: () => {} }
      const controller = new Controller(definition, { client, cache, narrow, manager })
      await expect(controller.start()).rejects.toMatchObject({ code: 'CONTROLLER_STOPPED' })
      expect([log, keys.connections, cache.report().informers]).toEqual([['closed'], 0, []])
    }))

  it('C4: lets go of the views that it holds already where the cache refuses another one', () =>
    inArcade(async ({ operator, client }) => {
      const { cache, narrow, manager } = operator
      const hold = cache.hold(
        configMaps.project('size', () => 1),
        'other',
      )
      const caches = [configMaps.project('size', () => 2)]
      const definition = { name: 'game', for: games, caches, reconcile: () => {} }
      const controller = new Controller(definition, { client, cache, narrow, manager })
      expect(() => controller.prepare()).toThrow(expect.objectContaining({ code: 'VIEW_CONFLICT' }))
      await expect(controller.start()).rejects.toMatchObject({ code: 'VIEW_CONFLICT' })
      expect(cache.report().informers.map(({ holders }) => holders)).toEqual([['other']])
      await hold.release()
    }))

  it('R23: holds nothing for a reconcile that it has left behind', () =>
    inArcade(async ({ operator, client, simulation }) => {
      const { cache, narrow, manager } = operator
      let go = (): void => {}
      const late = new Promise<void>(resolve => (go = resolve))
      let failed: unknown
      const controller = new Controller(
        {
          name: 'game',
          for: games,
          reconcile: async ({ status }) => {
            await late
            await status({ phase: 'late' }).catch((error: unknown) => (failed = error))
          },
        },
        { client, cache, narrow, manager },
      )
      await client.create(games, game('chess'))
      await controller.start()
      await simulation.runUntil(() => controller.explain(at('chess')).queue === 'running')
      await controller.stop({ timeoutMs: 10 })
      go()
      await simulation.runUntil(() => failed !== undefined)
      expect([failed, cache.report().informers]).toMatchObject([{ code: 'CONTROLLER_STOPPED' }, []])
    }))
})

describe('X9: code of a user that fails', () => {
  const source = (of: Partial<SourceConnection>) => ({
    name: 'bad',
    connect: (): SourceConnection => ({ synced: async () => {}, close: async () => {}, ...of }),
  })

  /** A controller with a source that does as `of` says, and well else. */
  function misusing(forGames: Arcade['forGames'], of: Partial<SourceConnection>, options?: ControllerOptions): void {
    forGames('game', options)
      .from(source(of), () => undefined)
      .reconcile(() => {})
  }

  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('no close'))],
    [
      'throws',
      () => {
        throw new Error('no close')
      },
    ],
  ])('C5, R23: a source with a close that %s is reported, and all else is waited for and closed', (_, close) =>
    inArcade(async ({ operator, client, run, end, simulation, forGames }) => {
      const log: string[] = []
      forGames()
        .from(source({ close }), () => undefined)
        .reconcile(async () => {
          log.push('begun')
          await sleep(simulation.clock, 500)
          log.push('ended')
        })
      await client.create(games, game('chess'))
      run()
      while (log.length === 0) await sleep(simulation.clock, 10)
      expect(await end()).toBe('ended')
      expect(log).toEqual(['begun', 'ended'])
      expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(['no close'])
      expect(operator.report().informers).toEqual([])
    }),
  )

  it('C3, X8: a source that heeds no signal ends no later than syncTimeoutMs says, and is named', () =>
    inArcade(async ({ operator, run, end, simulation, forGames }) => {
      misusing(forGames, { synced: () => new Promise(() => {}) }, { syncTimeoutMs: 3000 })
      run()
      await simulation.advance(3000)
      await simulation.runUntil(() => operator.state === 'stopped')
      expect(await end()).toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: ['bad'] })
    }))

  it('C5, R23: a source that does not close in time is named, and left behind', () =>
    inArcade({ stopTimeoutMs: 5000 }, async ({ end, simulation, forGames, start }) => {
      misusing(forGames, { close: () => new Promise(() => {}) })
      await start()
      const began = simulation.clock.monotonic()
      expect(await end()).toBe('ended')
      expect(simulation.clock.monotonic() - began).toBe(5000)
      expect(simulation.environment.errors.map(({ error }) => error)).toMatchObject([
        { code: 'STILL_RUNNING', controller: 'game', keys: [], sources: ['bad'] },
      ])
    }))

  it.each<[string, { name: string; namespace: string } | undefined]>([
    ['', undefined],
    [' on a leader', at('arcade')],
  ])(
    'C3, C5: a source%s that neither syncs nor closes is left behind by a start that fails after stopTimeoutMs',
    (_, leader) =>
      inArcade({ stopTimeoutMs: 5000, leader }, async ({ operator, run, end, simulation, forGames }) => {
        const never = (): Promise<void> => new Promise(() => {})
        misusing(forGames, { synced: never, close: never }, { syncTimeoutMs: 3000 })
        const began = simulation.clock.monotonic()
        run()
        await simulation.runUntil(() => operator.state === 'stopped')
        expect(await end()).toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: ['bad'] })
        const tookMs = simulation.clock.monotonic() - began
        expect(tookMs).toBeGreaterThanOrEqual(8000)
        expect(tookMs).toBeLessThan(10_000)
      }),
  )

  it('C5: a stop ends a start after stopTimeoutMs, whatever a source does', () =>
    inArcade({ stopTimeoutMs: 5000 }, async ({ run, end, simulation, forGames }) => {
      const never = (): Promise<void> => new Promise(() => {})
      misusing(forGames, { synced: never, close: never })
      run()
      await simulation.advance(100)
      const began = simulation.clock.monotonic()
      expect(await end()).toBe('ended')
      expect(simulation.clock.monotonic() - began).toBe(5000)
    }))

  it('C3: a source that throws when it is waited for is named, and why', () =>
    inArcade(async ({ operator, run, forGames }) => {
      const synced = (): never => {
        throw new Error('no queue')
      }
      misusing(forGames, { synced }, { syncTimeoutMs: 3000 })
      run()
      const cause = { message: 'no queue' }
      await expect(operator.settled()).rejects.toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: ['bad'], cause })
    }))

  it('a map and a predicate that reject are reported', () =>
    inArcade(async arcade => {
      const fails = (why: string) => (async () => Promise.reject(new Error(why))) as never
      const ran = noting(arcade, of => of.withPredicates(fails('no predicate')).watches(configMaps, fails('no map')))
      await arcade.client.create(configMaps, { metadata: at('map') })
      await arcade.start('chess')
      expect(ran).toEqual(['chess'])
      const messages = arcade.simulation.environment.errors.map(({ error }) => error.message)
      expect(messages).toEqual(expect.arrayContaining(['no predicate', 'no map']))
    }))
})
