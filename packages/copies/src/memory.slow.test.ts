import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Client } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { CopiesOptions } from './options.ts'
import { runCopies } from './testkit/cluster.ts'
import { defineGames, type Game, games, gamesOf } from './testkit/games.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: object) => void

/** The heap without uncollected garbage. */
function heap(): number {
  for (let i = 0; i < 3; i++) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage().heapUsed
}

it('H4: the status of a copy takes at most 500 bytes more, for 2,500 copies', { timeout: 300_000 }, async () => {
  const [sources, targets] = [25, 100]
  await using server = await startApiServer({ isolate: true })
  const { url, ca, token } = server
  await using client = new Client({ url, ca, token })
  await defineGames(client)
  await client.create(namespaces, { metadata: { name: 'shared' } })
  for (let i = 0; i < targets; i++) {
    await client.create(namespaces, { metadata: { name: `t${i}`, labels: { tenant: 'x' } } })
  }
  for (let i = 0; i < sources; i++) {
    await client.create(games, { metadata: { namespace: 'shared', name: `game-${i}` }, spec: { title: `${i}` } })
  }
  const held = async (options: CopiesOptions<Game, Game>): Promise<number> => {
    const { copies, settled, stop } = runCopies(client, options)
    await settled()
    expect(copies.report()).toMatchObject({ copies: sources * targets, failing: new Map() })
    const size = heap()
    await stop()
    return size
  }
  const options = gamesOf('shared', 'tenant')
  // All are made, with their statuses; what the code itself takes is there then.
  await held(options)
  const without = await held({ ...options, status: undefined })
  const withStatus = await held(options)
  const more = (withStatus - without) / (sources * targets)
  expect(more).toBeLessThan(500)
})
