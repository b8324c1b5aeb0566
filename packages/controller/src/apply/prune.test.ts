import { configMaps, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games, ours, secret } from '../operator/testkit/games.ts'
import type { Pruned } from './prune.ts'

const parts = ({ spec }: { spec: { title?: string } }): readonly string[] =>
  (spec.title ?? '').split(' ').filter(Boolean)

describe('A11: prune', () => {
  it('deletes what an earlier run has applied and this one has not, after a restart too, and nothing of others', () =>
    inArcade(async ({ client, start, after, forGames }) => {
      const results: Pruned[] = []
      forGames()
        .owns(ours)
        .reconcile(async ({ object, apply, prune }) => {
          for (const name of parts(object)) await apply(ours, { metadata: { name } })
          results.push(await prune(ours))
        })
      await client.create(games, { metadata: at('chess'), spec: { title: 'one two three', secret: 'x' } })
      await client.create(games, { metadata: at('go'), spec: { title: 'four', secret: 'x' } })
      const { uid = '' } = (await client.get(games, at('chess')))?.metadata ?? {}
      const owner = { apiVersion: 'arcade.example.com/v1', kind: 'Game', name: 'chess', uid, controller: true }
      const labels = { 'app.kubernetes.io/managed-by': 'game' }
      // Owned, and made by somebody else; nobody's.
      await client.create(configMaps, { metadata: { ...at('foreign'), labels, ownerReferences: [owner] } })
      await client.create(configMaps, { metadata: { ...at('free'), labels } })
      await start()
      const names = async (): Promise<string[]> =>
        (await client.list(ours)).items.map(({ metadata }) => metadata?.name ?? '').sort()
      expect(await names()).toEqual(['foreign', 'four', 'free', 'one', 'three', 'two'])
      expect(new Set(results.flatMap(({ deleted }) => deleted))).toEqual(new Set())
      await after(client.patch(games, at('chess'), { spec: { title: 'two' } }))
      expect(await names()).toEqual(['foreign', 'four', 'free', 'two'])
      expect(results.find(({ deleted }) => deleted.length > 0)?.deleted).toEqual(['default/one', 'default/three'])
      await after(client.patch(games, at('chess'), { spec: { title: '' } }))
      expect(await names()).toEqual(['foreign', 'four', 'free'])
    }))

  it('sees what the run before it has written, and is not shown yet', () =>
    inArcade(async ({ client, server, start, forGames, simulation }) => {
      const deleted: (readonly string[])[] = []
      forGames()
        .owns(ours)
        .reconcile(async ({ apply, prune }) => {
          const made = deleted.length
          if (made < 3) await apply(ours, { metadata: { name: `made-${made}` } })
          deleted.push((await prune(ours)).deleted)
          return made < 3 ? { requeueAfterMs: 5 } : undefined
        })
      await start()
      // Events come seconds later.
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect })
      await server.endWatches('configmaps')
      await simulation.advance(5000)
      await client.create(games, game('chess'))
      await simulation.advance(600_000)
      expect(deleted.slice(0, 4)).toEqual([[], ['default/made-0'], ['default/made-1'], ['default/made-2']])
      expect((await client.list(ours)).items).toEqual([])
    }))

  it('takes nothing away in half a run: while something is refused, waits, or is under way', () =>
    inArcade(async ({ client, server, start, after, forGames, simulation }) => {
      const results: boolean[] = []
      forGames()
        .owns(ours)
        .reconcile(async ({ object, apply, prune }) => {
          const applies = parts(object).map(name => apply(ours, { metadata: { name } }, { onDelay: 'resolve' }))
          if (object.spec.secret === 'early') results.push((await prune(ours)).isSkipped)
          const ended = await Promise.allSettled(applies)
          results.push((await prune(ours)).isSkipped)
          for (const one of ended) if (one.status === 'rejected') throw one.reason
        })
      await client.create(games, { metadata: at('chess'), spec: { title: 'one two', secret: 'x' } })
      await start()
      expect(results.at(-1)).toBe(false)
      await server.faults.add({
        match: { verb: 'patch', resource: 'configmaps', name: 'three' },
        effect: { kind: 'status', code: 422 },
      })
      await client.patch(games, at('chess'), { spec: { title: 'three' } })
      await simulation.advance(30_000)
      expect(new Set(results.slice(1))).toEqual(new Set([true]))
      expect((await client.list(ours)).items.map(({ metadata }) => metadata?.name).sort()).toEqual(['one', 'two'])
      await server.faults.clear()
      await simulation.advance(120_000)
      expect((await client.list(ours)).items.map(({ metadata }) => metadata?.name)).toEqual(['three'])
      results.length = 0
      await after(client.patch(games, at('chess'), { spec: { title: 'three four', secret: 'early' } }))
      expect(results[0]).toBe(true)
    }))

  it('A11: deletes nothing after an apply that was refused before any request', () =>
    inArcade(async ({ client, start, after, forGames }) => {
      const results: boolean[] = []
      forGames()
        .owns(ours)
        .reconcile(async ({ object, apply, prune }) => {
          const isWrong = object.spec.secret === 'wrong'
          const desired = {
            metadata: { name: 'one', ...(isWrong && { labels: { 'app.kubernetes.io/managed-by': 'x' } }) },
          }
          await Promise.allSettled([apply(ours, desired)])
          results.push((await prune(ours)).isSkipped)
        })
      await client.create(games, { metadata: at('chess'), spec: { secret: 'x' } })
      await start()
      expect(results.splice(0)).toContain(false)
      await after(client.patch(games, at('chess'), { spec: { secret: 'wrong' } }))
      expect(new Set(results)).toEqual(new Set([true]))
      expect((await client.list(ours)).items.map(({ metadata }) => metadata?.name)).toEqual(['one'])
    }))

  it('A11: refuses an apply of the view after it, in the same run, and not a prune of nothing', () =>
    inArcade(async ({ client, operator, run, simulation, forGames }) => {
      const messages: string[] = []
      const wide = configMaps.within({ labels: { kind: 'made' } })
      forGames()
        .owns(wide)
        .reconcile(async ({ apply, prune, object }) => {
          const desired = { metadata: { name: object.metadata.name }, data: { a: '1' } }
          await prune(wide)
          const narrow = wide.within({ namespaces: ['default'] })
          messages.push(
            await apply(narrow, desired).then(
              ({ outcome }) => outcome,
              ({ message }) => message,
            ),
          )
          messages.push(
            await apply(secrets, { metadata: desired.metadata }).then(
              ({ outcome }) => outcome,
              ({ message }) => message,
            ),
          )
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      expect(messages.slice(0, 2)).toEqual([
        expect.stringMatching(
          /^default\/chess of .* is applied after prune\(.*\) in the same run.*: call prune after the last apply$/,
        ),
        'created',
      ])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('fails if a delete is refused, and takes only a view that the controller owns', () =>
    inArcade(async ({ client, server, start, forGames, simulation, operator }) => {
      let refusal: unknown
      forGames()
        .owns(ours)
        .reconcile(async ({ object, apply, prune }) => {
          refusal ??= await prune(secrets).catch(({ message }) => message)
          for (const name of parts(object)) await apply(ours, { metadata: { name } })
          await prune(ours, { atOnce: 1 })
        })
      await client.create(secrets, secret('key', 'x'))
      await client.create(games, { metadata: at('chess'), spec: { title: 'one two', secret: 'x' } })
      await start()
      expect(refusal).toContain('declare it with .owns(view)')
      await server.faults.add({
        match: { verb: 'delete', resource: 'configmaps' },
        effect: { kind: 'status', code: 403 },
      })
      await client.patch(games, at('chess'), { spec: { title: '' } })
      await simulation.advance(200)
      expect(operator.explain('game', at('chess')).lastRun?.outcome).toBe('error')
      await server.faults.clear()
      await simulation.advance(60_000)
      expect((await client.list(ours)).items).toEqual([])
    }))
})
