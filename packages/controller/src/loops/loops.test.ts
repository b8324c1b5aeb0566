import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { NotSettledError } from '../operator/settled.ts'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import { eventReasons, setLives, whileLooping } from './testkit/looping.ts'

const board = (data: Record<string, string>): ConfigMap => ({ metadata: at('board'), data })

describe('a key that does not come to rest', () => {
  it('C24: is named within a minute, with what its own runs write, and slowed down until it ends', () =>
    whileLooping(async ({ operator, client, run, simulation, forGames }, { lines, metrics }) => {
      let runs = 0
      let isWrong = true
      forGames().reconcile(async ({ object, client: own, sleep }) => {
        runs += 1
        await sleep(500)
        if (isWrong) await setLives(own, 'chess', (object.spec.lives ?? 0) + 1)
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(20_000)
      expect(lines).toEqual([])
      await simulation.advance(40_000)
      const { loop } = operator.explain('game', 'default/chess')
      expect(loop).toMatchObject({ kind: 'own_write', object: 'default/chess', paths: ['spec.lives'] })
      expect(`${operator.explain('game', 'default/chess')}`).toContain(`${loop}`)
      expect(lines).toEqual([expect.stringMatching(/spec\.lives of default\/chess of arcade/)])
      expect(await eventReasons(client)).toEqual(['ReconcileLoop'])
      expect(metrics.get('wherry_hot_keys {"controller":"game"}')).toBe(1)
      const before = runs
      await simulation.advance(300_000)
      expect(runs - before).toBeLessThan(30)
      expect(lines).toHaveLength(6)
      expect(await eventReasons(client)).toEqual(['ReconcileLoop'])
      isWrong = false
      await simulation.advance(60_000)
      expect(metrics.get('wherry_hot_keys {"controller":"game"}')).toBe(0)
      expect(operator.explain('game', 'default/chess').loop).toBeUndefined()
      const ended = runs
      await setLives(client, 'chess', 1)
      await simulation.advance(600)
      expect(runs).toBe(ended + 1)
    }))

  it('C24: is reported by one event an hour, as long as it lasts and if it comes back', () =>
    whileLooping(async ({ client, run, simulation, forGames }) => {
      let isWrong = true
      forGames().reconcile(async ({ object, client: own, sleep }) => {
        await sleep(500)
        if (isWrong) await setLives(own, 'chess', (object.spec.lives ?? 0) + 1)
      })
      await client.create(games, game('chess'))
      run()
      for (let hour = 1; hour <= 3; hour++) {
        await simulation.advance(3_600_000)
        expect(await eventReasons(client)).toEqual(Array(hour).fill('ReconcileLoop'))
      }
      await simulation.advance(600_000)
      expect(await eventReasons(client)).toHaveLength(4)
      isWrong = false
      await simulation.advance(120_000)
      isWrong = true
      await setLives(client, 'chess', 1)
      await simulation.advance(1_800_000)
      expect(await eventReasons(client)).toHaveLength(4)
      await simulation.advance(3_600_000)
      expect(await eventReasons(client)).toHaveLength(5)
    }))

  it('C24: is not looked at among a hundred others, and the log says that there are more', () => {
    const fields: unknown[] = []
    const isSaid = (message: string, field: object) => message.includes('come to rest') && fields.push(field)
    return inArcade(
      { environment: { log: (_, message, field) => void isSaid(message, field ?? {}) } },
      async ({ client, run, simulation, operator, forGames }) => {
        forGames('game', { concurrency: 200 }).reconcile(async ({ object, client: own, sleep }) => {
          await sleep(1000)
          await setLives(own, object.metadata.name, (object.spec.lives ?? 0) + 1)
        })
        for (let key = 0; key < 102; key++) await client.create(games, game(`game-${key}`))
        run()
        await simulation.advance(120_000)
        expect(fields.at(-1)).toMatchObject({ others: 99, unseen: 'of more than 100 keys' })
        const seen = (key: number) => operator.explain('game', `default/game-${key}`).loop !== undefined
        expect(Array.from({ length: 102 }, (_, key) => seen(key)).filter(Boolean)).toHaveLength(100)
      },
    )
  })

  it('C24: does not hold up other keys, and runs at once for changes outside its loop', () =>
    whileLooping(async ({ client, run, simulation, forGames }) => {
      const ran: string[] = []
      forGames().reconcile(async ({ object, client: own, read, key, sleep }) => {
        ran.push(key.name)
        await sleep(200)
        await read.get(configMaps, { name: 'board' })
        if (key.name === 'chess') await setLives(own, 'chess', (object.spec.lives ?? 0) + 1)
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(120_000)
      ran.splice(0)
      await client.create(configMaps, board({}))
      await simulation.advance(300)
      await client.create(games, game('go'))
      await simulation.advance(300)
      expect(ran).toEqual(['chess', 'go'])
    }))

  it('C24: is named if the keys of a controller make each other run', () =>
    whileLooping(async ({ operator, client, run, simulation }) => {
      operator
        .controller('game')
        .for(games)
        .watches(games, () => [at('chess'), at('go'), at('ludo')])
        .reconcile(async ({ object, client: own, sleep }) => {
          await sleep(100)
          await setLives(own, object.metadata.name, (object.spec.lives ?? 0) + 1)
        })
      for (const name of ['chess', 'go', 'ludo']) await client.create(games, game(name))
      run()
      await simulation.advance(60_000)
      expect(operator.explain('game', 'default/go').loop).toMatchObject({ kind: 'other_keys', paths: ['spec.lives'] })
      expect(operator.explain('game', 'default/go').loop?.waitMs).toBeGreaterThan(0)
    }))

  it('C24: is named if somebody changes back what it writes by its client', () =>
    whileLooping(async ({ operator, client, run, simulation, forGames }, { lines }) => {
      forGames().reconcile(async ({ client: own, read }) => {
        const found = await read.get(configMaps, { name: 'board' })
        if (found?.data?.title !== 'ours') await own.patch(configMaps, at('board'), { data: { title: 'ours' } })
      })
      await client.create(configMaps, board({ title: 'ours' }))
      await client.create(games, game('chess'))
      run()
      for (let round = 0; round < 45; round++) {
        await client.patch(configMaps, at('board'), { data: { title: 'theirs' } }, { fieldManager: 'them' })
        await simulation.advance(1000)
      }
      expect(operator.explain('game', 'default/chess').loop).toMatchObject({
        ...{ kind: 'field_fight', object: 'default/board', paths: ['data.title'] },
        managers: ['them'],
      })
      expect(lines).toEqual([
        expect.stringMatching(/somebody else \(them\) changes back .* data\.title of default\/board/),
      ])
      expect(await eventReasons(client)).toEqual(['FieldFight'])
    }))

  it('C24: is named if somebody changes back what it applies', () =>
    whileLooping(async ({ operator, client, run, simulation, forGames }, { lines }) => {
      forGames()
        .owns(configMaps)
        .reconcile(async ({ apply }) => {
          await apply(configMaps, board({ title: 'ours' }), { onDelay: 'resolve' })
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      for (let round = 0; round < 8; round++) {
        await client.patch(configMaps, at('board'), { data: { title: `theirs ${round}` } }, { fieldManager: 'them' })
        await simulation.advance(100)
      }
      const found = { kind: 'field_fight', object: 'default/board', paths: ['data.title'], managers: ['them'] }
      expect(operator.explain('game', 'default/chess').loop).toMatchObject(found)
      expect(lines).toHaveLength(1)
      expect(await eventReasons(client)).toEqual(['FieldFight'])
    }))

  it('C24: is named if its runs ask for the next one at once', () =>
    whileLooping(async ({ operator, client, run, simulation, forGames }, { metrics }) => {
      let runs = 0
      forGames().reconcile(async () => {
        runs += 1
        return { requeueAfterMs: 0 }
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(operator.explain('game', 'default/chess').loop).toMatchObject({ kind: 'timer' })
      const before = runs
      await simulation.advance(60_000)
      expect(runs - before).toBeLessThan(10)
      expect(metrics.get('wherry_loop_runs_total {"controller":"game","cause":"timer"}')).toBeGreaterThan(12)
    }))

  it('C24: is in the message of an operator that has not settled, and in its runs', () =>
    whileLooping(async ({ operator, client, run, simulation, forGames }) => {
      forGames().reconcile(async ({ object, client: own, sleep }) => {
        await sleep(200)
        await setLives(own, 'chess', (object.spec.lives ?? 0) + 1)
      })
      await client.create(games, game('chess'))
      const records = operator.runs()
      run()
      const error = await operator.settled({ timeoutMs: 5000 }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(NotSettledError)
      expect((error as NotSettledError).message).toMatch(
        /its runs write what makes it run, spec\.lives of default\/chess/,
      )
      await simulation.advance(60_000)
      let isSeen = false
      for (let read = 0; read < 20; read++) isSeen ||= (await records.next()).value?.loop !== undefined
      expect(isSeen).toBe(true)
    }))
})

describe('runs that are no loop', () => {
  it('C24: a rollout, in which each run writes the status that makes the next one run', () =>
    whileLooping(async ({ client, run, simulation, forGames }, { lines, metrics }) => {
      forGames()
        .caches(configMaps)
        .reconcile(async ({ client: own, read, sleep }) => {
          const all = await read.list(configMaps)
          await sleep(20)
          await setLives(own, 'chess', all.length)
        })
      await client.create(games, game('chess'))
      run()
      for (let pod = 0; pod < 1000; pod++) {
        await client.create(configMaps, { metadata: at(`pod-${pod}`) })
        await simulation.advance(100)
      }
      expect(lines).toEqual([])
      expect([...metrics]).toEqual([['wherry_hot_keys {"controller":"game"}', 0]])
    }))
})
