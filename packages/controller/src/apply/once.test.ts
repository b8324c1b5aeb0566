import { secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, games } from '../operator/testkit/games.ts'
import type { Applied, DesiredOptions } from './options.ts'

const made = secrets.within({ labels: { kind: 'password' } })

describe('A10: fields that are set once', () => {
  it('keep the value that they were created with, while the others follow, and nothing is sent at rest', () =>
    inArcade(async ({ client, server, forGames, start, after, simulation }) => {
      let runs = 0
      const outcomes: Applied<unknown>['outcome'][] = []
      forGames()
        .owns(made)
        .reconcile(async ({ object, apply }) => {
          runs += 1
          const annotations = { title: object.spec.title ?? '' }
          const metadata = { name: object.metadata.name, annotations }
          const applied = await apply(made, { metadata, stringData: { password: `run ${runs}` } }, { once: ['data'] })
          outcomes.push(applied.outcome)
        })
      await start('chess')
      const now = async () => {
        const { data, metadata } = (await client.get(secrets.full(), at('chess'))) ?? {}
        const managers = metadata?.managedFields?.flatMap(({ manager }) => manager ?? []).sort()
        return { password: data?.password, title: metadata?.annotations?.title, managers }
      }
      const first = { password: 'cnVuIDE=', title: 'Chess', managers: ['arcade/game', 'arcade/game/once'] }
      expect(await now()).toEqual(first)
      expect(outcomes[0]).toBe('created')
      await after(client.patch(games, at('chess'), { spec: { title: 'Blitz' } }))
      expect(await now()).toEqual({ ...first, title: 'Blitz' })
      expect(outcomes.at(-1)).toBe('updated')
      // What somebody sets, too, stays.
      await after(client.patch(secrets, at('chess'), { data: { password: 'eA==' } }))
      await after(client.patch(games, at('chess'), { spec: { title: 'Chess' } }))
      expect((await now()).password).toBe('eA==')
      const { resourceVersion } = (await client.get(secrets, at('chess')))?.metadata ?? {}
      const fault = await server.faults.add({
        match: { verb: 'patch', resource: 'secrets' },
        effect: { kind: 'delay', ms: 1 },
      })
      await after(client.patch(games, at('chess'), { spec: { lives: 7 } }))
      await simulation.advance(60_000)
      expect([await fault.hits(), outcomes.at(-1)]).toEqual([0, 'unchanged'])
      expect((await client.get(secrets, at('chess')))?.metadata?.resourceVersion).toBe(resourceVersion)
      // One that is deleted is created again, with a value of its own.
      await after(client.delete(secrets, at('chess')))
      const { password = '', ...rest } = await now()
      expect([rest, Buffer.from(password, 'base64').toString()]).toEqual([
        { title: 'Chess', managers: first.managers },
        expect.stringMatching(/^run ([2-9]|\d\d)$/),
      ])
    }))

  it('are there too if the object is deleted while it is made', () =>
    inArcade(async ({ client, server, forGames, start, simulation }) => {
      forGames()
        .owns(made)
        .reconcile(async ({ object, apply }) => {
          const metadata = { name: object.metadata.name }
          await apply(made, { metadata, stringData: { password: 'x' } }, { once: ['data'] })
        })
      await start()
      // After the create, and after the fields have their own manager.
      const match = { verb: 'patch', resource: 'secrets' }
      const fault = await server.faults.add({ match, nth: 3, effect: { kind: 'delay', ms: 20_000 } })
      await client.create(games, { metadata: at('chess'), spec: { secret: 'x' } })
      await simulation.advance(10_000)
      expect(await fault.hits()).toBe(1)
      await client.delete(secrets, at('chess'))
      await simulation.advance(60_000)
      expect((await client.get(secrets, at('chess')))?.data).toEqual({ password: 'eA==' })
    }))

  it.each<[string, DesiredOptions['once'], readonly string[]]>([
    ['stringData', ['stringData'], ['tls.key', 'user']],
    ['one key of stringData, with a dot', [['stringData', 'tls.key']], ['tls.key']],
    ['one key of data, with a dot', [['data', 'tls.key']], ['tls.key']],
    ['two keys', [['data', 'tls.key'], 'stringData.user'], ['tls.key', 'user']],
  ])('keep their value as the server has it: %s', (_, once, kept) =>
    inArcade(async ({ client, forGames, start, after, simulation }) => {
      let runs = 0
      forGames().reconcile(async ({ object, apply }) => {
        runs += 1
        const desired = {
          metadata: { name: object.metadata.name },
          stringData: { 'tls.key': `k${runs}`, user: `u${runs}` },
        }
        await apply(made, desired, { once })
      })
      await start('chess')
      await after(client.patch(games, at('chess'), { spec: { lives: 7 } }))
      await after(client.patch(games, at('chess'), { spec: { lives: 8 } }))
      const { data = {} } = (await client.get(secrets, at('chess'))) ?? {}
      const written = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v, 'base64').toString()]))
      const expected = { 'tls.key': `k${runs}`, user: `u${runs}` }
      for (const key of kept) expected[key as keyof typeof expected] = key === 'user' ? 'u1' : 'k1'
      expect(runs).toBeGreaterThan(2)
      expect(written).toEqual(expected)
      expect(simulation.environment.errors).toEqual([])
    }),
  )

  it.each<[DesiredOptions['once'], string]>([
    [['dta'], 'a name with a dot is given in a list'],
    [['data.pasword'], 'data has password, tls.key, and'],
    [['data.tls.key'], 'data has password, tls.key, and'],
    [[['data', 'tls']], 'data has password, tls.key, and'],
    [['stringData.password.x'], 'stringData.password has no fields of its own'],
    [[['type']], 'the object has'],
  ])('A10: a path that is not in the desired object is an error before any request: %j', (once, message) =>
    inArcade(async ({ client, server, forGames, start, simulation }) => {
      const messages: string[] = []
      forGames().reconcile(async ({ apply }) => {
        const desired = { metadata: { name: 'x' }, stringData: { password: 'x', 'tls.key': 'y' } }
        messages.push(await apply(made, desired, { once }).then(String, ({ message }) => message))
      })
      await start()
      await server.resetStats()
      await client.create(games, { metadata: at('chess'), spec: { secret: 'x' } })
      await simulation.advance(1000)
      expect(messages[0]).toContain(message)
      expect((await server.stats()).byVerb.patch?.secrets).toBeUndefined()
    }),
  )

  it('are refused together with only, and if they name no field', () =>
    inArcade(async ({ client, forGames, start, simulation }) => {
      const messages: string[] = []
      forGames().reconcile(async ({ apply }) => {
        const desired = { metadata: { name: 'x' }, stringData: { a: 'b' } }
        for (const options of [
          { once: ['data'], only: 'create' },
          { once: ['metadata.labels'] },
          { once: [''] },
          { once: [[]] },
          { once: 'data' },
        ])
          messages.push(await apply(made, desired, options as never).then(String, ({ message }) => message))
      })
      await start()
      await client.create(games, { metadata: at('chess'), spec: { secret: 'x' } })
      await simulation.advance(1000)
      expect(messages.slice(0, 5)).toEqual([
        expect.stringContaining('apply.once takes nothing beside only'),
        expect.stringContaining('apply.once[0] takes the path of a field'),
        expect.stringContaining('apply.once[0]'),
        expect.stringContaining('apply.once[0]'),
        expect.stringContaining('apply.once'),
      ])
    }))
})
