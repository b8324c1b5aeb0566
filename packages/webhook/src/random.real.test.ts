import { namespaces } from '@wherry/client/resources/core'
import { type RealApiServer, seededRandom } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, it } from 'vitest'
import { games } from './testkit/games.ts'
import { served, until } from './testkit/on-a-server.ts'
import { namespaceNames } from './testkit/random/plan.ts'
import { probed } from './testkit/random/probe.ts'
import { round } from './testkit/random/round.ts'

const available = await realApiServerAvailable('webhooks')

const first = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.WHERRY_SEEDS ?? 3) }, (_, i) => first + i)

describe.runIf(available)('random webhooks on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  it.each(seeds)(
    'B1, B2: are called as they are declared, and objects are stored or refused as they answer (seed %i)',
    seed => inRound(server, seed),
    120_000,
  )
})

function inRound(server: RealApiServer, seed: number): Promise<void> {
  return served(server, async ({ client, webhooks, start, unconfigure }) => {
    for (const name of namespaceNames)
      if ((await client.get(namespaces, { name })) === undefined)
        await client.create(namespaces, { metadata: { name } })
    const isCalled = probed(webhooks, client)
    const random = seededRandom(seed)
    const begin = async (): Promise<void> => {
      await start()
      await isCalled()
    }
    try {
      await round({ client, webhooks, random, hangs: seed % 4 === 0, start: begin })
    } finally {
      await unconfigure()
      // A server that has not noticed yet may refuse.
      await until(async () => {
        const { items } = await client.list(games)
        for (const { metadata } of items) await client.delete(games, metadata)
      })
    }
  })
}
