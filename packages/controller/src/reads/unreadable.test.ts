import { secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, secret } from '../operator/testkit/games.ts'

it.each([500, 503])(
  'N15, C16: a kind that answers %d holds up only the controllers that read it, and their errors say why',
  code =>
    inArcade(async ({ operator, client, server, simulation, run }) => {
      const fault = await server.faults.add({ match: { resource: 'secrets' }, effect: { kind: 'status', code } })
      const ran: string[] = []
      operator
        .controller('game', { concurrency: 1 })
        .for(games)
        .reconcile(async ({ key, read }) => {
          if (key.name.startsWith('a')) await read.get(secrets, { name: 'key' })
          ran.push(key.name)
        })
      for (const name of ['a1', 'a2', 'a3', 'b']) await client.create(games, game(name))
      run()
      // It waits for what the server says twice, and not for the 65 s of a first state.
      await simulation.advance(20_000)
      expect(ran).toEqual(['b'])
      const [reported] = simulation.environment.errors
      expect(reported).toMatchObject({ error: { status: code } })
      await fault.remove()
      await client.create(secrets, secret('key', 'x'))
      await operator.settled({ timeoutMs: 600_000 })
      expect(new Set(ran)).toEqual(new Set(['b', 'a1', 'a2', 'a3']))
    }),
)
