import type { Client } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import { type ConfigMap, configMaps, secrets } from '@wherry/client/resources/core'
import type { Simulation } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { ownerReference } from '../objects/owner.ts'
import { DynamicViews } from '../sources/dynamic-views.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, type Game, game, games, ours } from './testkit/games.ts'

const errorsOf = ({ environment }: Simulation): readonly Error[] => environment.errors.map(({ error }) => error)
const part = (name: string): ConfigMap => ({ metadata: { name }, data: { n: '1' } })

/** Creates a ConfigMap that a game controls. */
async function create(client: Client, owner: Game, name: string): Promise<void> {
  const ownerReferences = [ownerReference(games, owner, 'default')]
  await client.create(configMaps, { metadata: { ...at(name), ownerReferences }, data: { n: '1' } })
}

describe('read.owned', () => {
  it('C14: gives what the primary object controls, and makes its key run when that changes', () =>
    inArcade(async ({ operator, client, run, forGames }) => {
      const seen: string[] = []
      forGames()
        .caches(configMaps)
        .reconcile(async ({ key, read }) => {
          const owned = await read.owned(configMaps)
          const heads = await read.owned(configMaps.metadata(), { labels: '!hidden' })
          const names = owned.map(({ metadata }) => metadata?.name).sort()
          seen.push(`${key.name}: ${names}${heads.length === owned.length ? '' : ` (${heads.length} shown)`}`)
        })
      const since = async (): Promise<string[]> => {
        await operator.settled()
        return seen.splice(0).sort()
      }
      const chess = await client.create(games, game('chess'))
      const go = await client.create(games, game('go'))
      for (const name of ['a', 'b']) await create(client, chess as Game, name)
      await create(client, go as Game, 'c')
      await client.create(configMaps, { metadata: at('stray') })
      run()
      expect(await since()).toEqual(['chess: a,b', 'go: c'])
      await client.patch(configMaps, at('c'), { data: { n: '2' } })
      expect(await since()).toEqual(['go: c'])
      await client.patch(configMaps, at('a'), { metadata: { labels: { hidden: 'yes' } } })
      expect(await since()).toEqual(['chess: a,b (1 shown)'])
      const reference = ownerReference(games, go as Game, 'default')
      await client.patch(configMaps, at('b'), { metadata: { ownerReferences: [reference] } })
      expect(await since()).toEqual(['chess: a (0 shown)', 'go: b,c'])
      await client.delete(configMaps, at('c'))
      await client.patch(configMaps, at('stray'), { data: { n: '2' } })
      expect(await since()).toEqual(['go: b'])
      const [, owned] = operator.explain('game', 'default/go').reads
      expect(owned).toMatchObject({ type: 'selection', owner: go.metadata?.uid, objects: 1 })
    }))

  it('C10: sees what the reconcile has just applied', () =>
    inArcade(async ({ forGames, start }) => {
      const seen: number[] = []
      forGames()
        .owns(configMaps)
        .caches(configMaps)
        .reconcile(async ({ apply, read }) => {
          for (const name of ['a', 'b']) await apply(configMaps, part(name))
          seen.push((await read.owned(configMaps)).length)
        })
      await start('chess')
      expect(new Set(seen)).toEqual(new Set([2]))
    }))

  it('C15: of a view that is only owned says that it is to be cached', () =>
    inArcade(async ({ client, run, simulation, forGames }) => {
      forGames()
        .owns(ours)
        .reconcile(({ read }) => read.owned(ours).then(() => {}))
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      expect(`${errorsOf(simulation)[0]}`).toContain('.caches(view)')
    }))
})

describe('read.list', () => {
  it('C15: gives the objects of a view that a registrar of the controller watches, as long as it does', () =>
    inArcade(async ({ client, simulation, server, forGames, start, after }) => {
      const watched = new DynamicViews<unknown>('kinds')
      const seen: string[] = []
      forGames()
        .from(watched, () => at('chess'))
        .reconcile(async ({ object, read }) => {
          const isOn = object.spec.title !== 'off'
          await watched.replace(isOn ? [secrets] : [])
          const found = await read.list(secrets)
          seen.push(found.map(({ metadata }) => metadata?.name).join())
        })
      await start('chess')
      await after(client.create(secrets, { metadata: at('key') }))
      expect([seen[0], seen.at(-1)]).toEqual(['', 'key'])
      await client.patch(games, at('chess'), { spec: { title: 'off' } })
      await simulation.advance(1000)
      expect(`${errorsOf(simulation)[0]}`).toContain('.caches(view)')
      await client.delete(games, at('chess'))
      await simulation.advance(60_000)
      expect((await server.stats()).byVerb.watch?.secrets?.openStreams).toBe(0)
    }))
})

describe('an owned view with predicates', () => {
  it('C4: shows them what the view makes of the objects, by one watch', () =>
    inArcade(async ({ client, server, forGames, start, after }) => {
      let runs = 0
      const seen: unknown[] = []
      forGames()
        .owns(deployments.project('ready', ({ status }) => ({ ready: status?.readyReplicas ?? 0 })))
        .withPredicates(({ object, old }) => {
          seen.push([old?.ready, object.ready])
          return object.ready !== old?.ready
        })
        .reconcile(async ({ apply }) => {
          runs += 1
          const labels = { app: 'web' }
          const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } }
          await apply(deployments, { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } })
        })
      await start('chess')
      const them = { fieldManager: 'them' }
      await after(client.status.patch(deployments, at('web'), { status: { replicas: 1, readyReplicas: 1 } }, them))
      await after(client.status.patch(deployments, at('web'), { status: { replicas: 2 } }, them))
      expect(seen).toEqual([
        [undefined, 0],
        [0, 1],
        [1, 1],
      ])
      expect(runs).toBe(2)
      expect((await server.stats()).byVerb.watch?.['deployments.apps']?.openStreams).toBe(1)
    }))
})

describe('an applied object of an owned view', () => {
  it('A5: makes its owner run when another key of the controller writes it, and not the key that writes', () =>
    inArcade(async ({ client, forGames, start, after }) => {
      const runs: string[] = []
      forGames()
        .owns(configMaps)
        .reconcile(async ({ apply, object: { metadata, spec } }) => {
          runs.push(metadata.name ?? '')
          if (metadata.name === 'chess') await apply(configMaps, part('made'))
          else if (spec.title === 'meddle' && runs.length === 1)
            await apply(configMaps, { ...part('made'), data: {} }, { owner: false })
        })
      await start('chess', 'go')
      expect(runs.splice(0).sort()).toEqual(['chess', 'go'])
      await after(client.patch(games, at('go'), { spec: { title: 'meddle' } }))
      expect(runs.slice(0, 2)).toEqual(['go', 'chess'])
    }))

  it('A5: is not watched by its name if the owned view is of one namespace and the applied view of more', () =>
    inArcade(async ({ client, server, forGames, start }) => {
      forGames()
        .owns(configMaps.within({ namespaces: ['default'] }))
        .reconcile(async ({ apply, object }) => {
          await apply(configMaps, part(`${object.metadata.name}-part`))
        })
      for (const name of ['chess', 'go', 'ludo']) await client.create(games, game(name))
      await server.resetStats()
      await start()
      expect((await client.list(configMaps)).items).toHaveLength(3)
      expect((await server.stats()).byVerb.watch?.configmaps?.requests).toBe(1)
    }))

  it('A5: is made again when it goes, also where predicates have let an earlier deletion pass and not this one', () =>
    inArcade(async ({ client, forGames, start, after }) => {
      let isApplied = false
      let isReported = true
      forGames()
        .owns(configMaps)
        .withPredicates(({ type }) => type !== 'delete' || isReported)
        .reconcile(async ({ apply }) => {
          if (isApplied) await apply(configMaps, part('made'))
        })
      await create(client, (await client.create(games, game('chess'))) as Game, 'made')
      await start()
      isApplied = true
      await after(client.delete(configMaps, at('made')))
      isReported = false
      const { metadata } = (await client.get(configMaps, at('made'))) ?? {}
      await after(client.delete(configMaps, at('made')))
      const again = await client.get(configMaps, at('made'))
      expect([metadata?.uid, again?.metadata?.uid]).toEqual([expect.any(String), expect.any(String)])
      expect(again?.metadata?.uid).not.toBe(metadata?.uid)
    }))

  it('C11: runs its owner once for a change that both `owns` and a tracked read receive', () =>
    inArcade(async ({ operator, client, forGames, start, after }) => {
      const outcomes: string[] = []
      forGames()
        .owns(configMaps)
        .reconcile(async ({ apply }) => {
          outcomes.push((await apply(configMaps, part('made'))).outcome)
        })
      await start('chess')
      const finalizers = (names: string[]): Promise<unknown> =>
        client.patch(configMaps, at('made'), { metadata: { finalizers: names } }, { fieldManager: 'them' })
      await after(finalizers(['example.com/x']))
      await after(client.delete(configMaps, at('made')))
      expect(outcomes.splice(0)).toEqual(['created', 'unchanged', 'deleting'])
      await after(finalizers([]))
      expect(outcomes).toEqual(['created'])
      expect(operator.explain('game', at('chess')).lastRun).toMatchObject({ cause: { source: 'owns' }, moreCauses: 1 })
    }))
})

describe('a call that a reconcile does not await', () => {
  it('A9: fails the run, by its name, however it ends', () =>
    inArcade(async ({ operator, client, run, simulation, forGames }) => {
      let isCareless = true
      forGames().reconcile(async ({ apply, read, status, client: own }) => {
        const calls = [
          ...[read.get(secrets, { name: 'key' }), apply(configMaps, part('made')), status({ phase: 'Won' })],
          ...[own.get(secrets, at('by-hand')), own.status.patch(games, at('chess'), { status: { round: 1 } })],
        ]
        if (!isCareless) await Promise.all(calls)
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      const [error] = errorsOf(simulation)
      expect(error).toMatchObject({ code: 'NOT_AWAITED' })
      const named = [
        'read.get of /v1/secrets key',
        'apply of /v1/configmaps made',
        'status',
        'client.get of /v1/secrets by-hand',
      ]
      for (const name of [...named, `client.status.patch of ${games.key} chess`]) expect(`${error}`).toContain(name)
      isCareless = false
      await operator.settled()
      expect(await client.get(games, at('chess'))).toMatchObject({ status: { phase: 'Won' } })
    }))
})
