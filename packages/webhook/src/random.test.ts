import { namespaces } from '@wherry/client/resources/core'
import { forEachSeed, type HookCall, seededRandom } from '@wherry/testing'
import { it } from 'vitest'
import { answerReview } from './admission/review.ts'
import type { NamedWebhook } from './declaration/builder.ts'
import { inMemory } from './testkit/in-memory.ts'
import { configure, defineGames } from './testkit/on-a-server.ts'
import { namespaceNames } from './testkit/random/plan.ts'
import { round } from './testkit/random/round.ts'

const groups = new Set(['arcade.example.com'])

it('B1, B2: random webhooks are called as they are declared, and objects are stored or refused as they answer', () =>
  forEachSeed(seed => inRound(seed), { seeds: 100 }))

async function inRound(seed: number): Promise<void> {
  let answer = (_call: HookCall): Promise<unknown> => Promise.reject(new Error('nothing is declared'))
  await inMemory(
    async ({ webhooks, operator, client, simulation }) => {
      const { environment } = client
      const declared = new Map<string, NamedWebhook>()
      const webhook = (name: string): NamedWebhook => {
        const named = webhooks.webhook(name)
        declared.set(name, named)
        return named
      }
      answer = async ({ service, review }) => {
        const [, name = ''] = service?.path.split('/').slice(1) ?? []
        const definition = (declared.get(name) as NamedWebhook).definition(groups)
        const body = Buffer.from(JSON.stringify(review))
        const said = await answerReview(definition, body, { environment, cache: operator.cache })
        return 'review' in said ? JSON.parse(said.review) : said
      }
      for (const name of namespaceNames)
        if ((await client.get(namespaces, { name })) === undefined)
          await client.create(namespaces, { metadata: { name } })
      await defineGames(client)
      await simulation.advance(5_000)
      const start = async (): Promise<void> => {
        for (const one of webhooks.configurations()) await configure(client, one)
      }
      await round({ client, webhooks: { webhook }, random: seededRandom(seed), hangs: true, start })
    },
    {},
    call => answer(call),
  )
}
