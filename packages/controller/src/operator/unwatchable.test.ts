import { expect, it } from 'vitest'
import { inArcade } from './testkit/arcade.ts'
import { game, games } from './testkit/games.ts'

const says =
  'games.arcade.example.com is forbidden: User "x" cannot watch resource "games" in API group "arcade.example.com"'

it.each([
  [403, 'Forbidden'],
  [405, 'MethodNotAllowed'],
])('C3, R36: a view that may be listed and not watched is not reconciled: %d', (code, reason) =>
  inArcade(async ({ client, forGames, run, end, server, simulation }) => {
    await client.create(games, game('chess'))
    const effect = { kind: 'status', code, reason, message: says } as const
    await server.faults.add({ match: { verb: 'watch', resource: 'games.arcade.example.com' }, effect })
    let runs = 0
    forGames('game', { syncTimeoutMs: 60_000 }).reconcile(() => {
      runs += 1
    })
    run()
    await simulation.advance(120_000)
    const error = (await end()) as Error
    expect(error).toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: [expect.stringContaining('for ')] })
    expect(`${error.message}${error.cause}`).toContain('cannot watch resource "games"')
    expect(runs).toBe(0)
    expect(simulation.environment.errors[0]?.context).toMatchObject({ phase: 'watch' })
  }),
)
